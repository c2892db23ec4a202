
// Boxes that scroll, and notes of the glossary.

// Only a box that scrolls is a stop of the Tab key, and a region with a name; beside another target with that of its own.
function markScrolling({ root, name }) {
  for (const box of root.querySelectorAll(".scroll")) {
    box.dataset.label ??= box.getAttribute("aria-label");
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    for (const [key, value] of [["role", "region"], ["tabindex", "0"], ["aria-label", name ? `${box.dataset.label} · ${name}` : box.dataset.label]]) {
      if (scrolls) box.setAttribute(key, value);
      else box.removeAttribute(key);
    }
  }
}

// A note stands under its word, inside the window.
function placeNotes(root) {
  for (const note of root.querySelectorAll("[popover]")) {
    note.addEventListener("beforetoggle", (event) => {
      if (event.newState !== "open") return;
      const word = root.activeElement?.getAttribute("popovertarget") === note.id ? root.activeElement : root.querySelector(`[popovertarget="${note.id}"]:hover`);
      if (!word) return;
      const { left, bottom } = word.getBoundingClientRect();
      const width = Math.min(320, innerWidth - 32);
      note.style.setProperty("left", `${Math.max(16, Math.min(left, innerWidth - width - 16))}px`);
      note.style.setProperty("top", `${Math.min(bottom + 6, innerHeight - 120)}px`);
      note.style.setProperty("width", `${width}px`);
    });
  }
}

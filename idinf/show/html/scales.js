
// Scales of the pictures. Lengths 0..top stand on log2(length + 1), so that n to 2n has about one width everywhere.

function lengthScale(top, left, width) {
  const whole = Math.log2(top + 1);
  const at = (length) => left + (width * Math.log2(length + 1)) / whole;
  return { at, length: (x) => 2 ** (((x - left) * whole) / width) - 1 };
}

const levelScale = (low, high, top, height) => (r) => top + height * (1 - (r - low) / (high - low));

// Marks of an axis of lengths, as many as have room: 0, 1, 2, 4, 8, …
function lengthMarks(top, at, gap) {
  const marks = [0];
  for (let length = 1; length <= top; length *= 2) {
    if (at(length) - at(marks[marks.length - 1]) >= gap) marks.push(length);
  }
  return marks;
}

// Whole numbers between two levels, at most some.
function levelMarks(low, high, most) {
  const step = Math.ceil((high - low) / most) || 1;
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((high - first) / step) + 1) }, (_, k) => first + k * step);
}

// A page that was opened from a file may not start a worker, which the search runs in: this one is a hidden frame.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inner = frame.contentWindow
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      this.inner.importScripts = (...urls) => Promise.all(urls.map((each) => this.load(each)))
      this.ready = this.load(url)
    }
    load(url) {
      const script = this.inner.document.createElement("script")
      script.src = new URL(url, location.href)
      const done = new Promise((resolve) => (script.onload = resolve))
      this.inner.document.head.append(script)
      return done
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
  window.Worker = window.IFrameWorker
}

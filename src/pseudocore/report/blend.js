"use strict";
// One slider blends every learned picture with the one it started from. Without it, both are shown anyway.
const sheets = document.querySelector(".pictures");
const pairs = sheets ? [...sheets.querySelectorAll(".strips")] : [];
if (pairs.length) {
  for (const pair of pairs) {
    const start = pair.querySelector(".before img").cloneNode();
    start.alt = "";
    start.className = "ghost";
    pair.querySelector(".after").append(start);
  }
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: 0, max: 100, value: 100, id: "blend" });
  slider.addEventListener("input", () => sheets.style.setProperty("--start", 1 - slider.value / 100));
  const label = document.createElement("label");
  label.className = "blend";
  label.append("Blend each learned picture: start ", slider, " learned");
  sheets.before(label);
}

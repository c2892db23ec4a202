// The table of the gallery sorts.

makeSortable(document.getElementById("benchmark-table"), document.getElementById("sorted"));
document.documentElement.dataset.ready = "1";

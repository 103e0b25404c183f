// The justified grid: rows of pictures that all fill the width, each row as high as its pictures need. The breaks are
// chosen for a page as a whole (Knuth and Plass, "Breaking Paragraphs into Lines", 1981): the rows whose heights differ
// least from the desired one.

// Returns the rows of pictures with these ratios of width to height: [{ start, end, height }], in pixels.
function rowsOf(ratios, { width, wanted, gap }) {
  const count = ratios.length;
  // The best breaks before each picture: the cost so far, and the start of the last row.
  const costs = new Float64Array(count + 1).fill(Infinity);
  const starts = new Int32Array(count + 1);
  costs[0] = 0;
  for (let start = 0; start < count; start++) {
    let sum = 0;
    for (let end = start + 1; end <= count; end++) {
      sum += ratios[end - 1];
      const height = heightOf(sum, end - start, width, gap);
      const cost = costs[start] + costOf(height / wanted);
      if (cost < costs[end]) {
        costs[end] = cost;
        starts[end] = start;
      }
      if (height < wanted / 2 && end > start + 1) break;
    }
  }
  const rows = [];
  for (let end = count; end > 0; end = starts[end]) rows.push({ start: starts[end], end });
  rows.reverse();
  for (const row of rows) {
    const sum = ratios.slice(row.start, row.end).reduce((sum, ratio) => sum + ratio, 0);
    // A few pictures are not enlarged to fill a wide screen.
    row.height = Math.min(heightOf(sum, row.end - row.start, width, gap), wanted * 1.6);
  }
  return rows;
}

const heightOf = (sum, count, width, gap) => (width - gap * (count - 1)) / sum;

// Twice the height costs as much as half the height.
const costOf = (scale) => Math.log2(scale) ** 2;

// Returns the positions of the pictures: [{ left, top, width, height }], and their total height.
export function placesOf(ratios, { width, wanted, gap }) {
  const places = [];
  let top = 0;
  for (const { start, end, height } of rowsOf(ratios, { width, wanted, gap })) {
    let left = 0;
    for (let index = start; index < end; index++) {
      places.push({ left, top, width: ratios[index] * height, height });
      left += ratios[index] * height + gap;
    }
    top += height + gap;
  }
  return { places, height: top };
}

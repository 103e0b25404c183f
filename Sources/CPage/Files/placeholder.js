// A photo's placeholder: a ThumbHash (evanw.github.io/thumbhash), about 25 bytes that contain the lowest frequencies of
// a picture's light, colour and transparency.

// The address of a tiny picture; null for text that is not a ThumbHash.
export function placeholderURL(base64) {
  try {
    const hash = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return hash.length < 5 ? null : drawn(decoded(hash));
  } catch {
    return null;
  }
}

function decoded(hash) {
  const first = hash[0] | (hash[1] << 8) | (hash[2] << 16);
  const second = hash[3] | (hash[4] << 8);
  const hasAlpha = first >> 23 !== 0;
  const isLandscape = second >> 15 !== 0;
  const long = hasAlpha ? 5 : 7;
  const short = Math.max(3, second & 7);
  const [columns, rows] = isLandscape ? [long, short] : [short, long];
  let position = hasAlpha ? 12 : 10;  // In half bytes.
  const channel = (mean, columns, rows, scale) => {
    const terms = [[0, 0, mean]];
    for (let y = 0; y < rows; y++) {
      for (let x = y === 0 ? 1 : 0; x * rows < columns * (rows - y); x++, position++) {
        const nibble = (hash[position >> 1] >> ((position & 1) * 4)) & 15;
        terms.push([x, y, (nibble / 7.5 - 1) * scale * 2]);
      }
    }
    return terms;
  };
  const light = channel((first & 63) / 63, columns, rows, ((first >> 18) & 31) / 31);
  const yellow = channel(((first >> 6) & 63) / 31.5 - 1, 3, 3, (((second >> 3) & 63) / 63) * 1.25);
  const red = channel(((first >> 12) & 63) / 31.5 - 1, 3, 3, (((second >> 9) & 63) / 63) * 1.25);
  const alpha = hasAlpha ? channel((hash[5] & 15) / 15, 5, 5, (hash[5] >> 4) / 15) : [[0, 0, 1]];
  return { ratio: columns / rows, light, yellow, red, alpha };
}

// The longer side in pixels: a hash of seven waves contains no finer detail.
const side = 20;

// The waves of a cosine transform along a side, computed once for each length.
const waves = new Map();

function wavesOf(length) {
  if (!waves.has(length)) {
    waves.set(length, Array.from({ length: 8 }, (_, wave) => Float32Array.from(
      { length }, (_, place) => Math.cos((Math.PI / length) * (place + 0.5) * wave))));
  }
  return waves.get(length);
}

function drawn({ ratio, light, yellow, red, alpha }) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(ratio > 1 ? side : side * ratio));
  canvas.height = Math.max(1, Math.round(ratio > 1 ? side / ratio : side));
  const [across, down] = [wavesOf(canvas.width), wavesOf(canvas.height)];
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  for (let y = 0, index = 0; y < canvas.height; y++) {
    for (let x = 0; x < canvas.width; x++, index += 4) {
      const l = sumAt(light, across, down, x, y), p = sumAt(yellow, across, down, x, y), q = sumAt(red, across, down, x, y);
      const blue = l - (2 / 3) * p;
      const r = (3 * l - blue + q) / 2;
      // Clamped to 0…255.
      image.data[index] = r * 255;
      image.data[index + 1] = (r - q) * 255;
      image.data[index + 2] = blue * 255;
      image.data[index + 3] = sumAt(alpha, across, down, x, y) * 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function sumAt(terms, across, down, x, y) {
  let sum = 0;
  for (const [cx, cy, value] of terms) sum += value * across[cx][x] * down[cy][y];
  return sum;
}

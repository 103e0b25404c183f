"use strict";

// A photo's placeholder: a ThumbHash (evanw.github.io/thumbhash), some 25 bytes that hold the lowest frequencies of
// a picture's light, colour and transparency. Gives the address of a tiny picture; null for text that is no ThumbHash.

function placeholderURL(base64) {
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

function drawn({ ratio, light, yellow, red, alpha }) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(ratio > 1 ? 32 : 32 * ratio);
  canvas.height = Math.round(ratio > 1 ? 32 / ratio : 32);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  for (let y = 0, index = 0; y < canvas.height; y++) {
    for (let x = 0; x < canvas.width; x++, index += 4) {
      const at = (terms) => terms.reduce((sum, [cx, cy, value]) => sum + value
        * Math.cos((Math.PI / canvas.width) * (x + 0.5) * cx) * Math.cos((Math.PI / canvas.height) * (y + 0.5) * cy), 0);
      const l = at(light), p = at(yellow), q = at(red);
      const blue = l - (2 / 3) * p;
      const r = (3 * l - blue + q) / 2;
      image.data.set([r * 255, (r - q) * 255, blue * 255, at(alpha) * 255], index);  // Clamped to 0…255.
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

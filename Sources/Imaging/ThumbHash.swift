#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Computes a few bytes that describe a blurred preview: Evan Wallace's ThumbHash (https://evanw.github.io/thumbhash/).
///
/// The image is split into luminance, two colour differences and alpha; the lowest cosine frequencies of each are kept,
/// each in half a byte. The hash is a 3-byte header (averages and scales of the channels, whether there is alpha), 2
/// more bytes (colour scales, frequencies along the shorter side, landscape or not), 1 byte for alpha if there is any,
/// and then the frequencies, two per byte.
enum ThumbHash {
    /// Returns the size at which a stored image is sampled: at most 100 pixels per side.
    static func inputSize(for image: PixelSize) -> PixelSize {
        let scale = min(1, 100 / Double(max(image.width, image.height)))
        return PixelSize(
            width: max(1, Int((Double(image.width) * scale).rounded())),
            height: max(1, Int((Double(image.height) * scale).rounded())))
    }

    /// Returns the hash of an upright image of at most 100×100 pixels.
    static func encode(_ image: PixelBuffer) -> [UInt8] {
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        let planes = Planes(image)
        let limit = planes.hasAlpha ? 5.0 : 7.0
        let columns = max(1, Int((limit * width / max(width, height)).rounded()))
        let rows = max(1, Int((limit * height / max(width, height)).rounded()))
        let luminance = Frequencies(planes.luminance, image.size, columns: max(3, columns), rows: max(3, rows))
        let yellowBlue = Frequencies(planes.yellowBlue, image.size, columns: 3, rows: 3)
        let redGreen = Frequencies(planes.redGreen, image.size, columns: 3, rows: 3)
        let isLandscape = width > height

        let header24 =
            quantised(luminance.average, 63) | quantised(0.5 + 0.5 * yellowBlue.average, 63) << 6
            | quantised(0.5 + 0.5 * redGreen.average, 63) << 12 | quantised(luminance.scale, 31) << 18
            | (planes.hasAlpha ? 1 << 23 : 0)
        let header16 =
            (isLandscape ? rows : columns) | quantised(yellowBlue.scale, 63) << 3 | quantised(redGreen.scale, 63) << 9
            | (isLandscape ? 1 << 15 : 0)
        var hash = [header24, header24 >> 8, header24 >> 16, header16, header16 >> 8].map(
            UInt8.init(truncatingIfNeeded:))
        var values = luminance.values + yellowBlue.values + redGreen.values
        if planes.hasAlpha {
            let alpha = Frequencies(planes.alpha, image.size, columns: 5, rows: 5)
            hash.append(UInt8(truncatingIfNeeded: quantised(alpha.average, 15) | quantised(alpha.scale, 15) << 4))
            values += alpha.values
        }
        return hash + packed(values)
    }

    /// Quantises a number from 0 to 1 to 0...`steps`.
    private static func quantised(_ value: Double, _ steps: Double) -> Int {
        Int((min(1, max(0, value)) * steps).rounded())
    }

    private static func packed(_ values: [Double]) -> [UInt8] {
        stride(from: 0, to: values.count, by: 2).map { index in
            let high = index + 1 < values.count ? quantised(values[index + 1], 15) : 0
            return UInt8(truncatingIfNeeded: quantised(values[index], 15) | high << 4)
        }
    }
}

extension ThumbHash {
    /// The image's channels, from 0 to 1; transparent parts are filled with the average colour.
    private struct Planes {
        var luminance: [Double] = []
        var yellowBlue: [Double] = []
        var redGreen: [Double] = []
        var alpha: [Double] = []
        let hasAlpha: Bool

        init(_ image: PixelBuffer) {
            let pixels = (0..<image.size.pixelCount).map { Planes.pixel(image, $0) }
            let alphaSum = pixels.reduce(0) { $0 + $1.w }
            let average = alphaSum > 0 ? pixels.reduce(SIMD4<Double>.zero, +) / alphaSum : .zero
            hasAlpha = alphaSum < Double(pixels.count)
            for pixel in pixels {
                let color = pixel + average * (1 - pixel.w)
                luminance.append((color.x + color.y + color.z) / 3)
                yellowBlue.append((color.x + color.y) / 2 - color.z)
                redGreen.append(color.x - color.y)
                alpha.append(pixel.w)
            }
        }

        /// Premultiplied red, green, blue, and alpha.
        private static func pixel(_ image: PixelBuffer, _ index: Int) -> SIMD4<Double> {
            func channel(_ number: Int) -> Double { Double(image.bytes[index * image.channels + number]) / 255 }
            return switch image.channels {
            case 1: SIMD4(channel(0), channel(0), channel(0), 1)
            case 3: SIMD4(channel(0), channel(1), channel(2), 1)
            default: SIMD4(channel(0), channel(1), channel(2), channel(3))
            }
        }
    }

    /// The lowest frequencies of one channel (a discrete cosine transform of type II).
    private struct Frequencies {
        var average = 0.0
        /// The largest magnitude of the other frequencies.
        var scale = 0.0
        /// The other frequencies, scaled to 0...1, where 0.5 is zero: those on and above the anti-diagonal, row by row.
        var values: [Double] = []

        init(_ channel: [Double], _ size: PixelSize, columns: Int, rows: Int) {
            for row in 0..<rows {
                let vertical = Frequencies.cosines(row, size.height)
                for column in 0..<columns where column * rows < columns * (rows - row) {
                    let horizontal = Frequencies.cosines(column, size.width)
                    var sum = 0.0
                    for y in 0..<size.height {
                        var rowSum = 0.0
                        for x in 0..<size.width { rowSum += channel[y * size.width + x] * horizontal[x] }
                        sum += rowSum * vertical[y]
                    }
                    values.append(sum / Double(size.pixelCount))
                }
            }
            average = values.removeFirst()
            scale = values.reduce(0) { max($0, abs($1)) }
            if scale > 1e-9 { values = values.map { 0.5 + 0.5 / scale * $0 } }
        }

        private static func cosines(_ frequency: Int, _ count: Int) -> [Double] {
            (0..<count).map { cos(Double.pi / Double(count) * Double(frequency) * (Double($0) + 0.5)) }
        }
    }
}

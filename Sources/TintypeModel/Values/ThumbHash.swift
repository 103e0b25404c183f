public import Foundation

/// A blurred preview of a photo in a few bytes: Evan Wallace's ThumbHash (https://evanw.github.io/thumbhash/).
///
/// The bytes are the lowest frequencies of a cosine transform: of the luminance, of two differences of colours (yellow
/// and blue, red and green), and of the opacity if the photo has transparent parts. A header of five bytes has their
/// averages and scales, and the number of frequencies on the shorter side; each frequency is half a byte.
public struct ThumbHash: Hashable, Sendable {
    /// The bytes, about 25 of them.
    public let bytes: Data
    private let luminance: Channel
    private let yellowBlue: Channel
    private let redGreen: Channel
    private let opacity: Channel?
    private let isLandscape: Bool

    /// Creates a preview; nil if the bytes are fewer than the preview needs. Further bytes are left out.
    public init?(_ bytes: Data) {
        var reader = NibbleReader(bytes)
        guard let header = reader.number(byteCount: 3), let details = reader.number(byteCount: 2) else { return nil }
        let hasOpacity = header >> 23 & 1 == 1
        isLandscape = details >> 15 & 1 == 1
        let (short, long) = (max(3, details & 7), hasOpacity ? 5 : 7)
        var (opacityAverage, opacityScale) = (1.0, 0.0)
        if hasOpacity {
            guard let levels = reader.number(byteCount: 1) else { return nil }
            (opacityAverage, opacityScale) = (Double(levels & 15) / 15, Double(levels >> 4) / 15)
        }
        // Small errors of the colours are less visible than pale colours, so that these are made stronger.
        guard
            let luminance = Channel(
                average: Double(header & 63) / 63, scale: Double(header >> 18 & 31) / 31,
                columns: isLandscape ? long : short, rows: isLandscape ? short : long, &reader),
            let yellowBlue = Channel(
                average: Double(header >> 6 & 63) / 31.5 - 1, scale: Double(details >> 3 & 63) / 63 * 1.25, columns: 3,
                rows: 3, &reader),
            let redGreen = Channel(
                average: Double(header >> 12 & 63) / 31.5 - 1, scale: Double(details >> 9 & 63) / 63 * 1.25, columns: 3,
                rows: 3, &reader)
        else { return nil }
        (self.luminance, self.yellowBlue, self.redGreen) = (luminance, yellowBlue, redGreen)
        opacity =
            hasOpacity ? Channel(average: opacityAverage, scale: opacityScale, columns: 5, rows: 5, &reader) : nil
        if hasOpacity, opacity == nil { return nil }
        self.bytes = Data(bytes.prefix(reader.byteCount))
    }

    /// Whether the photo has transparent parts.
    public var hasOpacity: Bool { opacity != nil }

    /// The width divided by the height, roughly: a photo's own width and height are better where they are known.
    public var aspectRatio: Double {
        let (short, long) = (Double(max(1, Int(bytes[bytes.startIndex + 3] & 7))), hasOpacity ? 5.0 : 7.0)
        return isLandscape ? long / short : short / long
    }

    /// The average colour of the photo.
    public var averageColor: Color {
        Self.color(luminance.average, yellowBlue.average, redGreen.average, opacity?.average ?? 1)
    }

    /// A colour in the space sRGB, not multiplied by its opacity.
    public struct Color: Hashable, Sendable {
        /// The part of red, from 0 to 255.
        public var red: UInt8
        /// The part of green, from 0 to 255.
        public var green: UInt8
        /// The part of blue, from 0 to 255.
        public var blue: UInt8
        /// The opacity, from 0 to 255.
        public var opacity: UInt8
    }

    /// A small picture.
    public struct Pixels: Hashable, Sendable {
        /// The width, in pixels.
        public var width: Int
        /// The height, in pixels.
        public var height: Int
        /// The pixels row by row from the top left, four bytes each: red, green, blue and opacity in the space sRGB, not
        /// multiplied by the opacity.
        public var rgba: Data
    }

    /// The preview as a picture whose longer side has 32 pixels.
    public var pixels: Pixels {
        let ratio = aspectRatio
        let width = max(1, Int((ratio > 1 ? 32 : 32 * ratio).rounded()))
        let height = max(1, Int((ratio > 1 ? 32 / ratio : 32).rounded()))
        let waves = (Waves(count: 7, length: width), Waves(count: 7, length: height))
        var rgba = Data(capacity: width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                let color = Self.color(
                    luminance.value(x, y, waves), yellowBlue.value(x, y, waves), redGreen.value(x, y, waves),
                    opacity?.value(x, y, waves) ?? 1)
                rgba.append(contentsOf: [color.red, color.green, color.blue, color.opacity])
            }
        }
        return Pixels(width: width, height: height, rgba: rgba)
    }

    private static func color(
        _ luminance: Double, _ yellowBlue: Double, _ redGreen: Double, _ opacity: Double
    ) -> Color {
        let blue = luminance - 2 / 3 * yellowBlue
        let red = (3 * luminance - blue + redGreen) / 2
        func byte(_ part: Double) -> UInt8 { UInt8((min(1, max(0, part)) * 255).rounded()) }
        return Color(red: byte(red), green: byte(red - redGreen), blue: byte(blue), opacity: byte(opacity))
    }
}

/// The values of cosines at the middle of each pixel.
private struct Waves {
    private let values: [[Double]]

    init(count: Int, length: Int) {
        values = (0..<count).map { frequency in
            (0..<length).map { cos(Double.pi / Double(length) * Double(frequency) * (Double($0) + 0.5)) }
        }
    }

    subscript(frequency: Int, position: Int) -> Double { values[frequency][position] }
}

extension ThumbHash {
    /// One channel of the picture: its average and its frequencies.
    fileprivate struct Channel: Hashable, Sendable {
        private struct Term: Hashable, Sendable {
            var column: Int
            var row: Int
            var amplitude: Double
        }

        let average: Double
        private var terms: [Term] = []

        /// Reads the frequencies above the anti-diagonal, row by row; nil if the bytes end before them.
        init?(average: Double, scale: Double, columns: Int, rows: Int, _ reader: inout NibbleReader) {
            self.average = average
            for row in 0..<rows {
                for column in 0..<columns where column * rows < columns * (rows - row) && (column, row) != (0, 0) {
                    guard let level = reader.nibble() else { return nil }
                    terms.append(Term(column: column, row: row, amplitude: (Double(level) / 7.5 - 1) * scale * 2))
                }
            }
        }

        func value(_ x: Int, _ y: Int, _ waves: (x: Waves, y: Waves)) -> Double {
            terms.reduce(average) { $0 + $1.amplitude * waves.x[$1.column, x] * waves.y[$1.row, y] }
        }
    }
}

/// A reader of numbers, whose first byte is the lowest one, and then of half bytes, the lower one first.
private struct NibbleReader {
    private let bytes: [UInt8]
    private var index = 0
    private var pending: UInt8?

    init(_ bytes: Data) { self.bytes = Array(bytes.prefix(64)) }

    /// The number of bytes that were read.
    var byteCount: Int { index }

    mutating func number(byteCount: Int) -> Int? {
        guard bytes.count - index >= byteCount else { return nil }
        defer { index += byteCount }
        return bytes[index..<index + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func nibble() -> UInt8? {
        if let high = pending {
            pending = nil
            return high
        }
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        pending = byte >> 4
        return byte & 15
    }
}

import Foundation
import TestSupport
import Testing

@testable import Imaging

/// A row of `Fixtures/fixtures.json`: a file and its expected results.
struct ImageFixture: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let format: String?
    let width: Int?
    let height: Int?
    let alpha: Bool?
    let frames: Int?
    /// The colours of the corner squares, on white: top left, top right, bottom left, bottom right.
    let corners: [String]?
    let warnings: [String]?
    let code: String?
    let says: String?

    var testDescription: String { file }
    var bytes: [UInt8] { ImageFixture.bytes(file) }
    var size: PixelSize { PixelSize(width: width ?? 0, height: height ?? 0) }

    static let folder = URL(filePath: Fixture.folder)

    /// Returns the bytes of a fixture; empty if the file does not exist.
    static func bytes(_ file: String) -> [UInt8] { (try? Fixture.bytes(file)) ?? [] }

    /// The fixtures, except for those that need a library that this build lacks.
    static let all = ((try? JSONDecoder().decode([ImageFixture].self, from: Data(bytes("fixtures.json")))) ?? [])
        .filter { isReadable($0.file) }
    static let whole = all.filter { $0.code == nil }
    static let refused = all.filter { $0.code != nil }
}

/// Whether this build can decode a file, judging by its name.
func isReadable(_ file: String) -> Bool {
    let format = ImageFormat.allCases.first { file.hasSuffix(".\($0.fileExtension)") }
    return format.map { $0.codec.missingLibrary == nil } ?? true
}

/// The photos next to the repository, or in the folder of `TINTYPE_PHOTOS`; empty if the folder does not exist.
let photos: [URL] = {
    let beside = ImageFixture.folder.deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "shared/photos")
    let named = ProcessInfo.processInfo.environment["TINTYPE_PHOTOS"].map { URL(filePath: $0) }
    let files = try? FileManager.default.contentsOfDirectory(at: named ?? beside, includingPropertiesForKeys: nil)
    return (files ?? []).sorted { $0.path < $1.path }
}()

/// Decodes all pixels, as stored. A JPEG is decoded by libjpeg, as in viewers.
func decode(_ bytes: [UInt8]) throws(ImageError) -> PixelBuffer {
    let header = try ImageHeader.read(bytes.span)
    if header.format == .jpeg { return try JPEGOracle.pixels(bytes) }
    let target = ResizeTarget(header.storedSize)
    let resized = try ResizedImages(decoding: bytes.span, header: header, targets: [target], limits: ImageLimits())
    guard let image = resized[target]?.pixels() else { throw .corrupt(header.format, "not decoded") }
    return image
}

extension PixelBuffer {
    /// The image with these pixels in planes.
    var image: PlanarImage {
        let planes = (0..<channels).map { channel in
            Plane(layout: PlaneLayout(size), samples: (0..<size.pixelCount).map { bytes[$0 * channels + channel] })
        }
        return PlanarImage(colorModel: ColorModel(channels: channels), size: size, planes: planes)
    }

    /// Returns a smaller copy.
    func resampled(to size: PixelSize) -> PixelBuffer {
        image.resampled(to: ResizeTarget(size)).pixels() ?? PixelBuffer(size: size, channels: 1, bytes: [])
    }

    /// Returns red, green and blue of a pixel, on white.
    func color(x: Int, y: Int) -> SIMD3<Int> {
        let pixel = (0..<channels).map { Int(bytes[(y * size.width + x) * channels + $0]) }
        switch channels {
        case 1: return SIMD3(repeating: pixel[0])
        case 3: return SIMD3(pixel[0], pixel[1], pixel[2])
        default: return SIMD3(pixel[0], pixel[1], pixel[2]) &+ SIMD3(repeating: 255 - pixel[3])
        }
    }

    /// The colours in the centres of the corner squares.
    var corners: [SIMD3<Int>] {
        let (left, top) = (size.width / 8, size.height / 8)
        let (right, bottom) = (size.width - 1 - left, size.height - 1 - top)
        return [color(x: left, y: top), color(x: right, y: top), color(x: left, y: bottom), color(x: right, y: bottom)]
    }

    /// Returns the largest difference in any channel of any pixel; nil if the images differ in size or channels.
    func worstDifference(from other: PixelBuffer) -> Int? {
        guard size == other.size, channels == other.channels else { return nil }
        return zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}

/// Returns the distance between two lists of colours: the largest difference in any channel.
func distance(_ colors: [SIMD3<Int>], _ hexadecimal: [String]) -> Int {
    guard colors.count == hexadecimal.count else { return .max }
    return zip(colors, hexadecimal.map { RGBColor(hex: $0) ?? .white }).map { color, expected in
        let difference = color &- SIMD3(Int(expected.red), Int(expected.green), Int(expected.blue))
        return max(abs(difference.x), abs(difference.y), abs(difference.z))
    }.max() ?? 0
}

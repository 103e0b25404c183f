import CCodecs
import TestSupport
import Testing

@testable import Imaging

/// The rule follows a person's impression: a damaged JPEG is rendered with a warning, or refused if a large part is
/// missing.
@Suite("A damaged JPEG is rendered with a warning, or refused if a large part is missing")
struct JPEGDamageTests {
    /// A file, the damage to it, and the outcome.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: String
        let damage: @Sendable ([UInt8]) -> [UInt8]
        let outcome: Outcome
    }

    enum Outcome: Sendable, Equatable {
        case rendered([ImageWarning])
        case refused(String)
    }

    static let rows = [
        Row(
            testDescription: "bytes too many before the end", file: "baseline-420.jpg",
            damage: { $0.inserting([0x12, 0x34], before: 0xD9) }, outcome: .rendered([.damaged])),
        Row(
            testDescription: "more than libjpeg's buffer holds", file: "photo.jpg",
            damage: { $0.inserting([UInt8](repeating: 0x55, count: 40), before: 0xD9) },
            outcome: .rendered([.damaged])),
        Row(
            testDescription: "bytes too many before a restart marker", file: "restart-markers.jpg",
            damage: { $0.inserting([UInt8](repeating: 0x55, count: 40), before: 0xD1) },
            outcome: .rendered([.damaged])),
        Row(
            testDescription: "bytes too many behind a needed scan", file: "progressive-420.jpg",
            damage: { $0.inserting([UInt8](repeating: 0x55, count: 40), before: 0xC4, last: true) },
            outcome: .rendered([.damaged])),
        Row(
            testDescription: "zeros that fill up the last word", file: "baseline-420.jpg",
            damage: { $0.inserting([UInt8](repeating: 0, count: 15), before: 0xD9) }, outcome: .rendered([])),
        Row(
            testDescription: "zeros before each restart marker", file: "restart-markers.jpg",
            damage: { bytes in
                (0xD0...0xD7).reduce(bytes) { $0.inserting([0, 0, 0], before: $1) }
            }, outcome: .rendered([])),
        Row(
            testDescription: "zeros before the end, by libjpeg", file: "arithmetic.jpg",
            damage: { $0.inserting([UInt8](repeating: 0, count: 15), before: 0xD9) }, outcome: .rendered([])),
        Row(
            testDescription: "bytes too many before the end, by libjpeg", file: "rgb.jpg",
            damage: { $0.inserting([UInt8](repeating: 0x55, count: 40), before: 0xD9) },
            outcome: .rendered([.damaged])),
        Row(
            testDescription: "the last blocks are missing", file: "photo.jpg",
            damage: { Array($0[..<($0.count - 300)]) + [0xFF, 0xD9] }, outcome: .rendered([.damaged])),
        Row(
            testDescription: "the lower half is missing", file: "photo.jpg",
            damage: { Array($0[..<($0.count / 2)]) + [0xFF, 0xD9] }, outcome: .refused("% of the picture is missing")),
        Row(
            testDescription: "a marker in the middle of the data", file: "photo.jpg",
            damage: { bytes in
                var bytes = bytes
                bytes.replaceSubrange(bytes.count / 3..<bytes.count / 3 + 2, with: [0xFF, 0x01])
                return bytes
            }, outcome: .refused("% of the picture is missing")),
        Row(
            testDescription: "a segment in the last rows that ends behind the file", file: "photo.jpg",
            damage: { Array($0.dropLast(300)) + [0xFF, 0x47, 0x7F, 0xFF] + $0.suffix(300) },
            outcome: .rendered([.truncated])),
        Row(
            testDescription: "the same before trailing data", file: "photo.jpg",
            damage: { Array($0.dropLast(300)) + [0xFF, 0x47, 0x7F, 0xFF] + $0.suffix(300) + [1, 2, 3] },
            outcome: .rendered([.truncated])),
        Row(
            testDescription: "a restart interval of many", file: "restart-markers.jpg",
            damage: { $0.inserting([0xFF, 0x55], before: 0xD3) }, outcome: .rendered([.damaged])),
    ]

    private func outcome(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) throws -> Outcome {
        let recipes = [try Recipe(parsing: "whole=2000")]
        do throws(ImageError) {
            return .rendered(try Renderer(limits: limits).render(bytes.span, recipes: recipes).warnings)
        } catch {
            #expect(error.code == .corrupt)
            return .refused(error.message)
        }
    }

    @Test(arguments: rows)
    func verdict(_ row: Row) throws {
        let damaged = row.damage(ImageFixture.bytes(row.file))
        #expect(damaged != ImageFixture.bytes(row.file))
        for acceptsTruncated in [false, true] {
            let outcome = try outcome(damaged, ImageLimits(acceptsTruncated: acceptsTruncated))
            if case (.refused(let message), .refused(let part)) = (outcome, row.outcome) {
                #expect(message.contains(part), "\(message)")
            } else {
                #expect(outcome == row.outcome)
            }
        }
    }

    static let photos = ["photo.jpg", "restart-markers.jpg", "baseline-422.jpg", "progressive-420.jpg", "rgb.jpg"]

    /// The percentage of pixels that must have changed for an image to be refused, and the percentage that may be the
    /// grey of missing data in a rendered image. The decoder measures the missing part in rows, which is less exact.
    private static let (leastChanged, mostLost) = (2.0, 25.0)

    @Test("Everything that libjpeg reports is a warning, and the size of the missing part decides", arguments: photos)
    func policy(file: String) throws {
        let whole = ImageFixture.bytes(file)
        let expected = try JPEGOracle.complaints(whole)
        #expect(expected.count == 0)
        var random = SeededGenerator(seed: 0x7E57_0000_0030)
        var (silent, warned, refused) = (0, 0, 0)
        for number in 0..<(file == "photo.jpg" ? 12 : 40) {
            var bytes = whole
            for _ in 0..<3 {
                let place = Int.random(in: bytes.count - bytes.scanLength..<bytes.count - 2, using: &random)
                bytes[place] = .random(in: 0...255, using: &random)
            }
            // Files that end too early are covered by other tests.
            guard let seen = try JPEGOracle.ifWhole(bytes) else { continue }
            switch try outcome(bytes) {
            case .rendered(let warnings):
                #expect(warnings == [.damaged] || warnings.isEmpty && seen.count == 0, "\(number)")
                let lost = seen.pixels.lostShare(of: expected.pixels) * 100
                #expect(lost <= JPEGDamageTests.mostLost, "\(number): \(lost) % missing")
                if warnings.isEmpty { silent += 1 } else { warned += 1 }
            case .refused(let message):
                let changed = seen.pixels.changedShare(of: expected.pixels) * 100
                #expect(changed >= JPEGDamageTests.leastChanged, "\(number): \(message), but \(changed) %")
                refused += 1
            }
        }
        #expect(warned > 3, "\(silent) \(warned) \(refused)")
    }
}

extension [UInt8] {
    /// Returns the file with more bytes before the first marker of a kind after the start of the first scan, or before
    /// the last one.
    fileprivate func inserting(_ more: [UInt8], before marker: UInt8, last: Bool = false) -> [UInt8] {
        let places = indices.dropFirst(count - scanLength).filter {
            self[$0] == 0xFF && $0 + 1 < count && self[$0 + 1] == marker
        }
        guard let place = last ? places.last : places.first else { return self }
        return self[..<place] + more + self[place...]
    }

    /// The number of bytes from the first scan's header to the end.
    fileprivate var scanLength: Int {
        var offset = 2
        while let (marker, payload) = try? JPEGHeader.nextSegment(span, &offset) {
            if marker == 0xDA { return count - payload.upperBound }
        }
        return 0
    }
}

extension JPEGOracle {
    /// Decodes an image that may be damaged with libjpeg, and counts libjpeg's warnings.
    fileprivate static func complaints(_ bytes: [UInt8]) throws(ImageError) -> (pixels: PixelBuffer, count: Int) {
        let header = try ImageHeader.read(bytes.span)
        return try bytes.span.withUnsafeBufferPointer { buffer throws(ImageError) in
            var report = CodecReport(.jpeg, limits: ImageLimits())
            var (info, layout, warnings) = (ccodecs_jpeg_info(), ccodecs_layout(), ccodecs_jpeg_warnings())
            var pointer: OpaquePointer?
            let code = ccodecs_jpeg_open(
                buffer.baseAddress, buffer.count, 1 << 30, 100, &pointer, &info, &report.fault)
            defer { ccodecs_jpeg_close(pointer) }
            try report.check(code)
            try report.check(ccodecs_jpeg_start(pointer, 8, &layout, &report.fault))
            var pixels = PixelBuffer(size: header.storedSize, channels: Int(layout.channels))
            let stride = Int(layout.width * layout.channels)
            for row in 0..<Int(layout.height) {
                let code = pixels.bytes.withUnsafeMutableBufferPointer { pixels in
                    ccodecs_jpeg_read_row(pointer, pixels.baseAddress.map { $0 + row * stride }, &report.fault)
                }
                try report.check(code)
            }
            try report.check(ccodecs_jpeg_finish(pointer, &warnings, &report.fault))
            guard warnings.truncated == 0 else { throw .truncated(.jpeg) }
            return (pixels, Int(warnings.damaged))
        }
    }

    /// Returns ``complaints(_:)`` if libjpeg reads the image to its end; otherwise nil.
    fileprivate static func ifWhole(_ bytes: [UInt8]) throws -> (pixels: PixelBuffer, count: Int)? {
        do {
            return try complaints(bytes)
        } catch {
            // Damage can make a segment that contains the end marker: a truncated image, of which enough may be left.
            let image = try? Renderer().render(bytes.span, recipes: Recipe.defaults)
            #expect(image == nil || image?.warnings == [.truncated])
            return nil
        }
    }
}

extension PixelBuffer {
    /// Returns the share of pixels that have visibly another colour.
    fileprivate func changedShare(of other: PixelBuffer) -> Double {
        guard size == other.size, channels == other.channels else { return 1 }
        let changed = stride(from: 0, to: bytes.count, by: channels).count { start in
            (start..<start + channels).contains { abs(Int(bytes[$0]) - Int(other.bytes[$0])) > 16 }
        }
        return Double(changed) / Double(size.pixelCount)
    }

    /// Returns the share of pixels that are the grey of missing data where the other image has another colour.
    fileprivate func lostShare(of other: PixelBuffer) -> Double {
        guard size == other.size, channels == other.channels else { return 0 }
        let lost = stride(from: 0, to: bytes.count, by: channels).count { start in
            (start..<start + channels).allSatisfy { (127...129).contains(bytes[$0]) }
                && (start..<start + channels).contains { abs(Int(other.bytes[$0]) - 128) > 2 }
        }
        return Double(lost) / Double(size.pixelCount)
    }
}

import Testing

@testable import Imaging

struct LimitsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let file: String
        let limits: ImageLimits
        let code: ImageError.Code?
        let message: String

        var testDescription: String { "\(file) \(code?.rawValue ?? "passes")" }
    }

    static let rows = [
        Row(file: "rgb-8.png", limits: ImageLimits(maxPixels: 96 * 72), code: nil, message: ""),
        Row(
            file: "rgb-8.png", limits: ImageLimits(maxPixels: 96 * 72 - 1), code: .tooManyPixels,
            message: "the limit is 6911 pixels"),
        Row(file: "rgb-8.png", limits: ImageLimits(maxSide: 96), code: nil, message: ""),
        Row(file: "rgb-8.png", limits: ImageLimits(maxSide: 95), code: .sideTooLong, message: "96×72"),
        Row(file: "orientation-6-ii.jpg", limits: ImageLimits(maxSide: 95), code: .sideTooLong, message: "64×96"),
        Row(
            file: "rgb-8.png", limits: ImageLimits(maxInputBytes: 100), code: .tooLargeBytes,
            message: "the limit is 100"),
        Row(file: "animated.gif", limits: ImageLimits(maxFramePixels: 96 * 72 + 128), code: nil, message: ""),
        Row(
            file: "animated.gif", limits: ImageLimits(maxFramePixels: 96 * 72 + 127), code: .tooManyFrames,
            message: "3 frames"),
        Row(file: "rgb-8-interlaced.png", limits: ImageLimits(maxWorkingBytes: 96 * 72 * 3), code: nil, message: ""),
        Row(
            file: "rgb-8-interlaced.png", limits: ImageLimits(maxWorkingBytes: 96 * 72 * 3 - 1), code: .tooMuchMemory,
            message: "memory"),
        Row(file: "rgb-8.png", limits: ImageLimits(maxWorkingBytes: 1), code: nil, message: ""),
        Row(
            file: "interlaced.gif", limits: ImageLimits(maxWorkingBytes: 96 * 72 - 1), code: .tooMuchMemory,
            message: "memory"),
        Row(
            file: "progressive-444.jpg", limits: ImageLimits(maxWorkingBytes: 100_000), code: .tooMuchMemory,
            message: "memory"),
        Row(file: "progressive-444.jpg", limits: ImageLimits(maxWorkingBytes: 200_000), code: nil, message: ""),
        Row(file: "progressive-444.jpg", limits: ImageLimits(maxScans: 9), code: .tooManyScans, message: "9 scans"),
        Row(file: "progressive-444.jpg", limits: ImageLimits(maxScans: 10), code: nil, message: ""),
        Row(
            file: "progressive-444.jpg", limits: ImageLimits(maxScanPixels: 160 * 120 * 10 - 1), code: .tooManyScans,
            message: "9 scans"),
        Row(file: "progressive-444.jpg", limits: ImageLimits(maxScanPixels: 160 * 120 * 10), code: nil, message: ""),
        Row(
            file: "noninterleaved.jpg", limits: ImageLimits(maxScanPixels: 160 * 120 * 3 - 1), code: .tooManyScans,
            message: "2 scans"),
        Row(file: "baseline-420.jpg", limits: ImageLimits(maxScanPixels: 1), code: nil, message: ""),
        Row(
            file: "plain.gif", limits: ImageLimits(maxLosslessPixels: 96 * 72 - 1), code: .tooManyPixels,
            message: "in a GIF is 6911 pixels"),
        Row(file: "rgb-8.png", limits: ImageLimits(maxLosslessPixels: 96 * 72), code: nil, message: ""),
        Row(file: "bomb-scans.jpg", limits: ImageLimits(maxScans: 190), code: nil, message: ""),
    ]

    @Test(
        "A refusal names the setting that would allow the picture",
        arguments: [
            ("rgb-8.png", ImageLimits(maxInputBytes: 100), "max-bytes"),
            ("rgb-8.png", ImageLimits(maxPixels: 100), "max-pixels"),
            ("rgb-8.png", ImageLimits(maxLosslessPixels: 100), "max-lossless-pixels"),
            ("rgb-8.png", ImageLimits(maxSide: 95), "max-side"),
            ("animated.gif", ImageLimits(maxFramePixels: 100), "max-frame-pixels"),
            ("rgb-8-interlaced.png", ImageLimits(maxWorkingBytes: 100), "max-memory"),
            ("progressive-444.jpg", ImageLimits(maxWorkingBytes: 100), "max-memory"),
            ("progressive-444.jpg", ImageLimits(maxScans: 9), "max-scans"),
            ("progressive-444.jpg", ImageLimits(maxScanPixels: 160 * 120 * 9), "max-scan-pixels"),
        ])
    func settings(file: String, limits: ImageLimits, setting: String) {
        let error = #expect(throws: ImageError.self) {
            try Renderer(limits: limits).render(ImageFixture.bytes(file).span, recipes: Recipe.defaults)
        }
        #expect(error?.hint.hasSuffix(" raise \(setting).") == true, "\(error?.hint ?? "")")
    }

    @Test(
        "The default limits accept the photos of today's phones",
        arguments: [
            ("108 megapixels", 12_000, 9000, 1), ("200 megapixels", 16_320, 12_240, 1),
            ("progressive, 50 megapixels", 8160, 6120, 10), ("progressive, 200 megapixels", 16_320, 12_240, 10),
        ])
    func phones(name: String, width: Int, height: Int, scans: Int) throws {
        let size = PixelSize(width: width, height: height)
        let header = ImageHeader(format: .jpeg, storedSize: size, orientation: .up, hasAlpha: false, frameCount: 1)
        try ImageLimits().check(header, framePixels: 0)
        #expect(ImageLimits().scanCount(for: size) >= scans)
    }

    @Test("Scans are counted before any is decoded")
    func scans() throws {
        for (file, count) in [("baseline-420.jpg", 1), ("noninterleaved.jpg", 3), ("progressive-444.jpg", 10)] {
            let bytes = ImageFixture.bytes(file)
            try JPEGScans.check(bytes.span, size: PixelSize(width: 1, height: 1), limits: ImageLimits(maxScans: count))
            let error = #expect(throws: ImageError.self) {
                try JPEGScans.check(
                    bytes.span, size: PixelSize(width: 1, height: 1), limits: ImageLimits(maxScans: count - 1))
            }
            #expect(error?.code == .tooManyScans)
        }
    }

    @Test(arguments: rows)
    func limits(_ row: Row) {
        do throws(ImageError) {
            _ = try Renderer(limits: row.limits).render(ImageFixture.bytes(row.file).span, recipes: Recipe.defaults)
            #expect(row.code == nil)
        } catch {
            #expect(error.code == row.code)
            #expect(error.message.contains(row.message), "\(error.message)")
        }
    }
}

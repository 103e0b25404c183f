import Testing

@testable import Imaging

@Suite("An unsupported file is refused with the name of its format, and a hint at what to send")
struct UnsupportedFormatTests {
    private static func row(
        _ name: String, _ bytes: [UInt8], _ code: ImageError.Code, _ message: String, hint: String = "AVIF"
    ) -> Refusal {
        Refusal(testDescription: name, bytes: bytes, code: code, message: message, hint: hint)
    }

    private static let signature: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8)

    /// A JPEG whose frame header has no height, which is in a segment after the scan.
    private static let heightAtEnd: [UInt8] = {
        var bytes = ImageFixture.bytes("no-height.jpg")
        bytes.replaceSubrange(bytes.count - 2..<bytes.count, with: [0xFF, 0xDC, 0, 4, 0, 120, 0xFF, 0xD9])
        return bytes
    }()

    static let rows = [
        row("a PNG's first byte", [0x89], .truncated, "PNG", hint: "again"),
        row("a PNG's first bytes", Array(signature.prefix(5)), .truncated, "PNG", hint: "again"),
        row("a JPEG's first bytes", [0xFF, 0xD8], .truncated, "JPEG", hint: "again"),
        row("a GIF's first bytes", Array("GIF8".utf8), .truncated, "GIF", hint: "again"),
        row("a letter", Array("G".utf8), .unsupportedFormat, "text"),
        row("a byte of 255", [0xFF], .unsupportedFormat, "unknown"),
        row("another byte", [0xA9], .unsupportedFormat, "unknown"),
        row("bytes without control characters", [0xA9, 0xF0, 0x41, 0xE7], .unsupportedFormat, "unknown"),
        row("accents, cut in a character", Array(Array("été".utf8).dropLast()), .unsupportedFormat, "text"),
        row("Latin-1", Array("caf".utf8) + [0xE9], .unsupportedFormat, "text"),
        row(
            "Apple's own kind of PNG",
            signature + [0, 0, 0, 4] + Array("CgBI".utf8) + [0x50, 0, 0x20, 2, 0x2B, 0xD5, 0xB3, 0x7F],
            .unsupportedFormat, "CgBI", hint: "revert-iphone-optimizations"),
        row(
            "a HEIF of the newest kind", [0, 0, 0, 16] + Array("ftypmif3".utf8) + [0, 0, 0, 0], .unsupportedFormat,
            "mif3"),
        row(
            "a JPEG that tells its height at its end", heightAtEnd, .unsupportedFormat, "(DNL)", hint: "another program"
        ),
        row("a film", [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0], .unsupportedFormat, "MP4 video"),
    ]

    @Test(arguments: rows)
    func names(_ refusal: Refusal) {
        refusal.check { () throws(ImageError) in _ = try ImageHeader.read(refusal.bytes.span) }
    }
}

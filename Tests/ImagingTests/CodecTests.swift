import TestSupport
import Testing

@testable import Imaging

@Suite("Every codec meets these requirements; a new one is tested as soon as it is registered and has a fixture")
struct CodecTests {
    /// The formats that this build can read.
    static let formats = ImageFormat.allCases.filter { $0.codec.missingLibrary == nil }

    /// Returns the smallest whole files of a format, among those with enough pixels to be cut.
    private func fixtures(of format: ImageFormat) throws -> [ImageFixture] {
        let fixtures = ImageFixture.whole.filter { $0.format == format.rawValue && $0.size.pixelCount >= 64 * 48 }
        try #require(!fixtures.isEmpty, "there is no fixture of \(format)")
        return Array(fixtures.sorted { $0.bytes.count < $1.bytes.count }.prefix(6))
    }

    private func render(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) throws(ImageError) -> RenderedImage {
        try Renderer(limits: limits).render(bytes.span, recipes: Recipe.defaults)
    }

    @Test("A codec is registered for its own format, and accepts no other format's files", arguments: formats)
    func registered(format: ImageFormat) throws {
        #expect(format.codec.format == format)
        for fixture in ImageFixture.whole where fixture.format != nil {
            #expect((ImageFormat.detect(fixture.bytes.span) == format) == (fixture.format == format.rawValue))
        }
    }

    @Test("A file that is cut anywhere is refused with a reason, or loses nothing visible", arguments: formats)
    func cut(format: ImageFormat) throws {
        for fixture in try fixtures(of: format) {
            let bytes = fixture.bytes
            for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 40)) {
                do throws(ImageError) {
                    let header = try render(Array(bytes.prefix(count))).header
                    #expect(header.size == fixture.size, "\(fixture.file) cut to \(count)")
                } catch {
                    #expect(!error.message.isEmpty, "\(fixture.file) cut to \(count)")
                }
            }
            #expect(throws: ImageError.self, "\(fixture.file)") { try render(Array(bytes.prefix(bytes.count / 10))) }
        }
    }

    @Test("A file above a limit is refused because of that limit", arguments: formats)
    func limits(format: ImageFormat) throws {
        for fixture in try fixtures(of: format) {
            let (bytes, size) = (fixture.bytes, fixture.size)
            let table: [(ImageLimits, ImageError.Code)] = [
                (ImageLimits(maxInputBytes: bytes.count - 1), .tooLargeBytes),
                (ImageLimits(maxPixels: size.pixelCount - 1), .tooManyPixels),
                (ImageLimits(maxSide: max(size.width, size.height) - 1), .sideTooLong),
            ]
            for (limits, code) in table {
                let error = #expect(throws: ImageError.self) { try render(bytes, limits) }
                #expect(error?.code == code, "\(fixture.file)")
            }
        }
    }

    @Test(
        "The header and the renditions have the size as seen, whatever the orientation", arguments: formats)
    func orientation(format: ImageFormat) throws {
        for fixture in ImageFixture.whole where fixture.format == format.rawValue {
            let header = try ImageHeader.read(fixture.bytes.span)
            #expect(header.format == format && header.size == fixture.size, "\(fixture.file)")
            let recipe = try Recipe(parsing: "whole=16000")
            let image = try Renderer().render(fixture.bytes.span, recipes: [recipe])
            #expect(image.renditions.map(\.size) == [fixture.size], "\(fixture.file)")
        }
    }
}

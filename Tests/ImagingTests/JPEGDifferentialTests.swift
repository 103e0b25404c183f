import Foundation
import Testing

@testable import Imaging

@Suite("The scaled JPEG decoder agrees with libjpeg-turbo")
struct JPEGDifferentialTests {
    @Test("Our decoder accepts usual files, and leaves others to libjpeg", arguments: JPEGFile.all)
    func choice(_ file: JPEGFile) {
        #expect((JPEGOracle.ours(file.bytes, eighths: [1]) != nil) == file.isUsual)
    }

    @Test("The decoders agree bit for bit at full size", arguments: JPEGFile.usual)
    func full(_ file: JPEGFile) throws {
        let bytes = file.bytes
        let ours = try #require(JPEGOracle.ours(bytes, eighths: [8]))
        #expect(try JPEGOracle.libjpeg(bytes, eighths: 8) == ours)
    }

    @Test("The decoders agree bit for bit at an eighth", arguments: JPEGFile.usual)
    func eighth(_ file: JPEGFile) throws {
        let bytes = file.bytes
        let ours = try #require(JPEGOracle.ours(bytes, eighths: [1]))
        let theirs = try JPEGOracle.libjpeg(bytes, eighths: 1)
        // libjpeg then decodes subsampled chroma at a quarter.
        for (mine, other) in zip(ours.layouts.indices, theirs.layouts.indices)
        where ours.layouts[mine] == theirs.layouts[other] {
            #expect(ours.samples[mine] == theirs.samples[other])
        }
    }

    @Test(
        "A progressive image at an eighth, from its DC scans alone, is equal bit for bit",
        arguments: JPEGFile.progressive)
    func progressive(_ file: JPEGFile) throws {
        let bytes = file.bytes
        let ours = try #require(JPEGOracle.oursOfProgressive(bytes, eighths: [1]))
        let theirs = try JPEGOracle.libjpeg(bytes, eighths: 1)
        for index in ours.layouts.indices where ours.layouts[index] == theirs.layouts[index] {
            #expect(ours.samples[index] == theirs.samples[index])
        }
        #expect(ours.layouts[0] == theirs.layouts[0])
        #expect(SequentialFrame.read(bytes.span) == nil)
    }

    @Test("A progressive image at full size is equal bit for bit", arguments: JPEGFile.progressive)
    func wholeProgressive(_ file: JPEGFile) throws {
        let ours = try #require(JPEGOracle.oursOfProgressive(file.bytes, eighths: [8]))
        #expect(try JPEGOracle.libjpeg(file.bytes, eighths: 8) == ours)
    }

    @Test("A progressive CMYK image is left to libjpeg")
    func progressiveInk() {
        #expect(JPEGOracle.oursOfProgressive(ImageFixture.bytes("progressive-cmyk.jpg"), eighths: [8]) == nil)
    }

    @Test(
        "Scans that a scale does not need are skipped", arguments: [(1, 2), (2, 10), (4, 12), (8, 12)])
    func neededScans(eighths: Int, count: Int) throws {
        let bytes = ImageFixture.bytes("progressive-bands.jpg")
        let frame = ProgressiveFrame.read(bytes.span, maxScans: 12)
        let progressive = try #require(frame)
        let places = progressive.frame.components.map {
            ProgressiveCoefficients($0, of: progressive.frame, eighths: eighths)?.places ?? 0
        }
        let needed = progressive.scans(for: places)
        #expect(needed.count == count)
        #expect(needed.map(\.offset) == needed.map(\.offset).sorted())
        let isDC = needed.map { $0.band == 0...0 }
        #expect(eighths > 1 || isDC == [true, true])
    }

    @Test(
        "Files with very many Huffman tables are left to libjpeg, which reads the tables one after another",
        arguments: ["progressive-420.jpg", "baseline-420.jpg"])
    func tables(file: String) throws {
        let original = ImageFixture.bytes(file)
        // A table of one code, for a symbol that is not used; the image's own tables follow.
        let table: [UInt8] = [0xFF, 0xC4, 0, 20, 0x13, 1] + [UInt8](repeating: 0, count: 16)
        let own = original.indices.count { original[$0...].starts(with: [0xFF, 0xC4]) }
        for (count, isUsual) in [(1000 - own, true), (1001 - own, false)] {
            let bytes = original[..<2] + [[UInt8]](repeating: table, count: count).joined() + original[2...]
            let isOurs =
                JPEGOracle.ours(Array(bytes), eighths: [8]) != nil
                || JPEGOracle.oursOfProgressive(Array(bytes), eighths: [8]) != nil
            #expect(isOurs == isUsual)
            #expect(throws: Never.self) { try JPEGOracle.libjpeg(Array(bytes), eighths: 8) }
        }
    }

    @Test("Our decoder refuses files that libjpeg refuses", arguments: ["progressive-420.jpg", "baseline-420.jpg"])
    func refusals(file: String) throws {
        let original = ImageFixture.bytes(file)
        // 200 words of 15 bits and 200 of 16 bits are a code, but it has more symbols than exist.
        let table: [UInt8] = [0xFF, 0xC4, 1, 163, 0x13] + [UInt8](repeating: 0, count: 14) + [200, 200]
        let many = Array(original[..<2]) + table + [UInt8](repeating: 1, count: 400) + original[2...]
        let twice = Array(original.dropLast(2)) + [0xFF, 0xD8] + original.suffix(2)
        for bytes in [many, twice] {
            let isOurs =
                JPEGOracle.ours(bytes, eighths: [8]) != nil
                || JPEGOracle.oursOfProgressive(bytes, eighths: [8]) != nil
            #expect(!isOurs)
            #expect(throws: ImageError.self) { try JPEGOracle.libjpeg(bytes, eighths: 8) }
        }
    }

    @Test("A progressive image without some AC coefficients is left to libjpeg, which smooths it")
    func progressiveWithoutAC() throws {
        let original = ImageFixture.bytes("progressive-444.jpg")
        #expect(JPEGOracle.oursOfProgressive(original, eighths: [1]) != nil)
        // The image's first scan of AC coefficients, from its SOS to the next marker segment.
        let sos = try #require(
            original.indices.first { index in
                index + 10 < original.count && original[index] == 0xFF && original[index + 1] == 0xDA
                    && original[index + 4] == 1 && original[index + 7] > 0
            })
        let end = try #require(
            original[(sos + 2)...].indices.first { original[$0] == 0xFF && original[$0 + 1] >= 0xC0 })
        let bytes = Array(original[..<sos] + original[end...])
        let isLeftToLibjpeg = JPEGOracle.oursOfProgressive(bytes, eighths: [1]) == nil
        #expect(isLeftToLibjpeg)
    }

    /// libjpeg's smaller transforms fold some of the high frequencies into low ones; ours cuts them off. The results
    /// for a photo differ a little everywhere, and much only at hard edges.
    @Test(
        "The decoders agree at a quarter and a half, except for the kind of transform",
        arguments: JPEGFile.usual + JPEGFile.progressive,
        [2, 4])
    func reduced(_ file: JPEGFile, eighths: Int) throws {
        let bytes = file.bytes
        let theirs = try JPEGOracle.libjpeg(bytes, eighths: eighths)
        // libjpeg returns subsampled chroma at twice the scale of luma.
        let scales = [eighths, 2 * eighths]
        let sequential = JPEGOracle.ours(bytes, eighths: scales)
        let ours = try #require(sequential ?? JPEGOracle.oursOfProgressive(bytes, eighths: scales))
        for (index, layout) in ours.layouts.enumerated() where layout == theirs.layouts[index] {
            let differences = zip(ours.samples[index], theirs.samples[index]).map { abs(Int($0) - Int($1)) }
            let mean = Double(differences.reduce(0, +)) / Double(differences.count)
            #expect(mean <= 4)
            #expect((differences.max() ?? 0) <= 96)
        }
    }
}

/// A JPEG of `Fixtures`, or of the photos next to the repository.
struct JPEGFile: Sendable, CustomTestStringConvertible {
    let url: URL
    var testDescription: String { url.lastPathComponent }
    var bytes: [UInt8] { (try? Data(contentsOf: url)).map(Array.init) ?? [] }

    static let all =
        ImageFixture.whole.filter { $0.format == "jpeg" }.map {
            JPEGFile(url: ImageFixture.folder.appending(path: $0.file))
        }
        + photos.filter { $0.pathExtension == "jpg" }.map { JPEGFile(url: $0) }

    /// The files that our sequential decoder accepts.
    static let usual = all.filter(\.isUsual)
    /// The files that our progressive decoder accepts.
    static let progressive = all.filter {
        $0.testDescription.hasPrefix("progressive") && $0.testDescription != "progressive-cmyk.jpg"
    }

    private static let unusual = [
        "noninterleaved.jpg", "arithmetic.jpg", "rgb.jpg", "cmyk-plain.jpg", "cmyk-adobe.jpg", "ycck-adobe.jpg",
        "default-table.jpg", "bomb-scans.jpg", "profile-adobe-rgb.jpg", "profile-p3-rgb.jpg", "profile-cmyk.jpg",
        "profile-cmyk-plain.jpg", "profile-ycck.jpg", "profile-of-light.jpg",
    ]

    var isUsual: Bool { !JPEGFile.unusual.contains(testDescription) && !testDescription.hasPrefix("progressive") }
}

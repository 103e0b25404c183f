import CSystemCrypto
import Foundation
import Testing

@testable import Imaging

@Suite("Renditions look like the output of another decoder (Fixtures/make-references)")
struct ConformanceTests {
    @Test func theReferencesAreThere() {
        #expect(Reference.all.filter { $0.file != nil }.count > 150)
    }

    @Test(arguments: Reference.all.filter { isReadable($0.file ?? "?") && $0.file != nil })
    func fixtures(_ reference: Reference) throws {
        try compare(ImageFixture.bytes(reference.file ?? ""), with: reference)
    }

    @Test(
        "Photos next to the repository look like their references",
        arguments: photos.filter { isReadable($0.path) && Reference.of($0) != nil })
    func realPhotos(_ photo: URL) throws {
        try compare(Array(try Data(contentsOf: photo)), with: try #require(Reference.of(photo)))
    }

    private func compare(_ bytes: [UInt8], with reference: Reference) throws {
        let recipe = try Recipe(parsing: "reference=512,q100,alpha")
        let rendered = try Renderer().render(bytes.span, recipes: [recipe])
        #expect(rendered.header.size == reference.size)
        let image = try decode(try #require(rendered.renditions.first).bytes)
        let (grid, expected) = (image.grid, reference.grid)
        #expect(grid.count == expected.count)
        let mean = zip(grid, expected).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(grid.count)
        #expect(mean <= 4, "a mean difference of \(mean)")
    }
}

/// A row of `Fixtures/references.json`, and its part of `references.png`.
struct Reference: Decodable, Sendable, CustomTestStringConvertible {
    let file: String?
    let sha256: String?
    let width: Int
    let height: Int
    /// Red, green and blue of each cell, row by row; read from the image with all references.
    private(set) var grid: [Double] = []

    private enum CodingKeys: CodingKey {
        case file, sha256, width, height
    }

    var testDescription: String { file ?? sha256 ?? "" }
    var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns the row of a photo, by its SHA-256.
    static func of(_ photo: URL) -> Reference? {
        guard let bytes = (try? Data(contentsOf: photo)).map(Array.init) else { return nil }
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        let digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return all.first { $0.sha256 == digits }
    }

    static let all: [Reference] = {
        guard var rows = try? JSONDecoder().decode([Reference].self, from: Data(ImageFixture.bytes("references.json"))),
            let sheet = try? decode(ImageFixture.bytes("references.png")), sheet.size.height == rows.count * 32
        else { return [] }
        for index in rows.indices {
            for y in 0..<32 {
                for x in 0..<32 {
                    let color = sheet.color(x: x, y: index * 32 + y)
                    rows[index].grid += [Double(color.x), Double(color.y), Double(color.z)]
                }
            }
        }
        return rows
    }()
}

extension PixelBuffer {
    /// The mean colours of 32×32 cells on white: red, green and blue of each, row by row.
    var grid: [Double] {
        var grid: [Double] = []
        for line in 0..<32 {
            let rows = Cell(line, of: 32, in: size.height)
            for column in 0..<32 { grid += mean(Cell(column, of: 32, in: size.width), rows) }
        }
        return grid
    }

    private func mean(_ columns: Cell, _ rows: Cell) -> [Double] {
        var sum = SIMD4<Double>.zero
        for (y, height) in rows.pixels {
            for (x, width) in columns.pixels {
                let color = color(x: x, y: y)
                sum += SIMD4(Double(color.x), Double(color.y), Double(color.z), 1) * width * height
            }
        }
        return [sum.x / sum.w, sum.y / sum.w, sum.z / sum.w]
    }
}

/// The pixels of a cell along one axis, and the share of each in it.
private struct Cell {
    let pixels: [(Int, Double)]

    init(_ index: Int, of count: Int, in length: Int) {
        let start = Double(index * length) / Double(count)
        let end = Double((index + 1) * length) / Double(count)
        pixels = (Int(start)..<min(length, Int(end.rounded(.up)))).map { pixel in
            (pixel, min(end, Double(pixel + 1)) - max(start, Double(pixel)))
        }
    }
}

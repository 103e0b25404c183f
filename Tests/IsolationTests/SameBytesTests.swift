import Foundation
import Imaging
import TestSupport
import Testing

@testable import Isolation

@Suite("What comes of a photo does not depend on where it is rendered")
struct SameBytesTests {
    @Test func everyFixture() throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        for name in try FileManager.default.contentsOfDirectory(atPath: Fixture.folder).sorted()
        where ["jpg", "png", "gif", "webp", "heic", "avif"].contains(name.split(separator: ".").last ?? "") {
            let bytes = try Fixture.bytes(name)
            let expected = Result { try Renderer().render(bytes.span, recipes: Recipe.defaults) }
            let actual = Result { try renderer.render(Fixture.path(name), recipes: Recipe.defaults) }
            switch (expected, actual) {
            case (.success(let expected), .success(let actual)): #expect(expected == actual, "\(name)")
            case (.failure(let expected), .failure(let actual)): #expect("\(expected)" == "\(actual)", "\(name)")
            default: Issue.record("\(name): \(actual)")
            }
        }
    }
}

enum Rogue {
    static let program = WorkerProgram(path: path, arguments: [])

    private static var path: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("RogueWorker").path
    }
}

extension IsolatedRenderer {
    func render(_ path: String, recipes: [Recipe], limits: ImageLimits = ImageLimits()) throws -> RenderedImage {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let byteCount = Int(try file.seekToEnd())
        return try render(file.fileDescriptor, byteCount: byteCount, recipes: recipes, limits: limits)
    }
}

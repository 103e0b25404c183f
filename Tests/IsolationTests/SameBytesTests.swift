import Foundation
import Imaging
import TestSupport
import Testing

@testable import Isolation

@Suite("What comes of a photo does not depend on where it is rendered")
struct SameBytesTests {
    @Test func everyFixture() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        for name in try FileManager.default.contentsOfDirectory(atPath: Fixture.folder).sorted()
        where ["jpg", "png", "gif", "webp", "heic", "avif"].contains(name.split(separator: ".").last ?? "") {
            let bytes = try Fixture.bytes(name)
            let expected = Result { try Renderer().render(bytes.span, recipes: Recipe.defaults) }
            let actual: Result<RenderedImage, any Error>
            do { actual = .success(try await renderer.render(bytes)) } catch { actual = .failure(error) }
            switch (expected, actual) {
            case (.success(let expected), .success(let actual)): #expect(expected == actual, "\(name)")
            case (.failure(let expected), .failure(let actual)): #expect("\(expected)" == "\(actual)", "\(name)")
            default: Issue.record("\(name): \(actual)")
            }
        }
    }
}

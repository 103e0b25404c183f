import Foundation
import Imaging
import TestSupport
import Testing

@testable import Isolation

@Suite("The result of a photo does not depend on where it is rendered")
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

    @Test("Bytes in memory give the same result as a file, and an error for none")
    func bytesInMemory() throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let bytes = try Fixture.bytes("photo.jpg")
        let expected = try Renderer().render(bytes.span, recipes: Recipe.defaults)
        #expect(try renderer.render(bytes, recipes: Recipe.defaults, limits: ImageLimits()) == expected)
        var error = #expect(throws: ImageError.self) { try renderer.render([], recipes: [], limits: ImageLimits()) }
        #expect(error?.code == .empty)
        let limits = ImageLimits(maxInputBytes: bytes.count - 1)
        error = #expect(throws: ImageError.self) { try renderer.render(bytes, recipes: [], limits: limits) }
        #expect(error?.code == .tooLargeBytes)
    }

    @Test(
        "Renditions of every encoding are the same",
        arguments: ["animated.webp", "animated.gif", "rgba-8.png", "grey-1.png", "alpha.avif", "photo.jpg"])
    func everyEncoding(file: String) async throws {
        let texts = [
            "a=100,webp,animated", "b=50,alpha", "c=64,cover,progressive", "d=80,webp,alpha", "e=9,alpha,q100",
            "f=90,subsampling=444", "g=70,png", "h=80,avif", "i=99,avif,alpha",
            "j=60,avif,subsampling=444", "k=60,png,canvas=99", "l=60,png,alpha,canvas=200",
        ]
        let recipes = try texts.map { try Recipe(parsing: $0) }
        let bytes = try Fixture.bytes(file)
        let renderer = try IsolatedRenderer(Rogue.program)
        #expect(try await renderer.render(bytes, recipes: recipes) == Renderer().render(bytes.span, recipes: recipes))
        let many = Array(repeating: recipes[1], count: 500)
        #expect(try await renderer.render(bytes, recipes: many).renditions.count == 500)
        await #expect(throws: ImageError.self) { try await renderer.render(bytes, recipes: many + recipes) }
    }
}

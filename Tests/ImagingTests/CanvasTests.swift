import Testing

@testable import Imaging

@Suite("A rendition on a canvas is a square of the canvas's size, with the image in its middle")
struct CanvasTests {
    private static let files = ["size-640x480.jpg", "size-24x16.jpg", "size-1x200.jpg", "grey-8.png", "rgba-8.png"]

    /// Returns the rendition of a file by a recipe, as decoded pixels.
    private func rendered(_ file: String, _ recipe: String) throws -> PixelBuffer {
        let image = try Renderer().render(ImageFixture.bytes(file).span, recipes: [try Recipe(parsing: recipe)])
        let rendition = try #require(image.renditions.first)
        #expect(rendition.format == .png && rendition.size == PixelSize(width: 100, height: 100))
        #expect(rendition.size == rendition.recipe.fittedSize(for: image.header.size))
        return try decode(rendition.bytes)
    }

    /// Returns the colour and alpha of a pixel.
    private func pixel(_ image: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * image.size.width + x) * image.channels
        let channels = Array(image.bytes[start..<start + image.channels])
        return channels.count == 1 ? [channels[0], channels[0], channels[0]] : channels
    }

    @Test("The rest of the canvas has the colour of the background", arguments: files)
    func background(file: String) throws {
        let image = try rendered(file, "icon=60,png,canvas=100,background=#204060")
        #expect(image.size == PixelSize(width: 100, height: 100) && !image.hasAlpha)
        for (x, y) in [(0, 0), (99, 0), (0, 99), (99, 99), (50, 19), (19, 50), (80, 50), (50, 80)] {
            #expect(pixel(image, x, y) == [0x20, 0x40, 0x60], "\(x), \(y)")
        }
        // An image of one column lies beside the middle.
        let middle = [49, 50].map { pixel(image, $0, 50) }
        #expect(middle.contains { $0 != [0x20, 0x40, 0x60] } || file == "rgba-8.png")
    }

    @Test("The rest of the canvas is transparent if alpha is kept", arguments: files)
    func transparent(file: String) throws {
        let image = try rendered(file, "icon=60,png,canvas=100,alpha")
        #expect(image.hasAlpha)
        for (x, y) in [(0, 0), (99, 99), (50, 19), (80, 50)] { #expect(pixel(image, x, y)[3] == 0, "\(x), \(y)") }
    }

    @Test("A grey image stays grey on a canvas")
    func grey() throws {
        let image = try rendered("grey-8.png", "icon=60,png,canvas=100,alpha")
        let middle = pixel(image, 50, 50)
        #expect(middle[0] == middle[1] && middle[1] == middle[2] && middle[3] == 255)
    }

    @Test("A canvas of the box's size changes nothing for an image that fills it")
    func whole() throws {
        let bytes = ImageFixture.bytes("size-640x480.jpg")
        let recipes = try ["a=100,cover,png,canvas=100", "b=100,cover,png"].map { try Recipe(parsing: $0) }
        let renditions = try Renderer().render(bytes.span, recipes: recipes).renditions
        #expect(renditions[0].bytes == renditions[1].bytes)
    }
}

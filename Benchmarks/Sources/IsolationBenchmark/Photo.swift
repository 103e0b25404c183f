import Foundation
import Imaging
import Isolation

/// A photo that is open for reading.
struct Photo {
    let name: String
    let megapixels: Double
    private let file: FileHandle
    private let byteCount: Int

    init(path: String) throws {
        file = try FileHandle(forReadingFrom: URL(filePath: path))
        byteCount = Int(try file.seekToEnd())
        name = URL(filePath: path).lastPathComponent
        let size = try ImageHeader.read(Data(contentsOf: URL(filePath: path)).span).size
        megapixels = Double(size.width * size.height) / 1e6
    }

    /// Reads and renders the photo, like the service without isolation.
    func render() throws -> RenderedImage {
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            count = max(0, pread(file.fileDescriptor, buffer.baseAddress, byteCount, 0))
        }
        return try Renderer().render(bytes.span, recipes: Recipe.defaults)
    }

    func render(by renderer: IsolatedRenderer) throws -> RenderedImage {
        try renderer.render(file.fileDescriptor, byteCount: byteCount, recipes: Recipe.defaults)
    }
}

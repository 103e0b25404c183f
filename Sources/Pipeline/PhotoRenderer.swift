package import Files
package import Imaging
package import Isolation

/// The place where photos are rendered: this process, or one that can harm nobody.
package protocol PhotoRenderer: Sendable {
    /// Renders an original by the recipes. Blocks; is called by as many threads as photos are rendered at a time.
    ///
    /// - Throws: `ImageError` or `IsolationError`, a permanent failure or a transient error; `FileError` when it cannot be read.
    func render(_ original: FileReader, recipes: [Recipe], limits: ImageLimits) throws -> RenderedImage
}

/// Renders in this process: what breaks the decoder breaks the service.
package struct InProcessRenderer: PhotoRenderer {
    package init() {}

    package func render(_ original: FileReader, recipes: [Recipe], limits: ImageLimits) throws -> RenderedImage {
        let bytes = try original.readAll(maxBytes: limits.maxInputBytes)
        return try Renderer(limits: limits).render(bytes.span, recipes: recipes)
    }
}

/// Hands over the original's own descriptor, which can only be read: nothing is copied, and blobs never change.
extension IsolatedRenderer: PhotoRenderer {
    package func render(_ original: FileReader, recipes: [Recipe], limits: ImageLimits) throws -> RenderedImage {
        let byteCount = try original.byteCount()
        return try original.withDescriptor { descriptor in
            try render(descriptor, byteCount: byteCount, recipes: recipes, limits: limits)
        }
    }
}

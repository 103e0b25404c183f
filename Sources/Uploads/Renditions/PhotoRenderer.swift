package import Files
package import Imaging
package import Isolation

/// A renderer of photos: in this process, or isolated in processes of its own.
package protocol PhotoRenderer: Sendable {
    /// Renders an original by the recipes. Blocks; may be called by several threads, as many as photos are rendered at
    /// once.
    ///
    /// - Parameter others: Recipes of the same set whose renditions exist (`Renderer`).
    /// - Throws: `ImageError` or `IsolationError`, a permanent failure or a transient error; `FileError` if the
    ///   original cannot be read.
    func render(
        _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
    ) throws -> RenderedImage

    /// Returns a second renderer for background work, with low processor priority. Nil if this renderer does background
    /// work, too.
    func makeBackground() -> (any PhotoRenderer)?

    /// Frees the resources that are kept for the next photo.
    func rest()

    /// Whether photos are decoded in processes of their own.
    var isIsolated: Bool { get }
}

extension PhotoRenderer {
    package func makeBackground() -> (any PhotoRenderer)? { nil }
    package func rest() {}
    package var isIsolated: Bool { false }
}

/// A renderer in this process: a crash of the decoder is a crash of the service.
package struct InProcessRenderer: PhotoRenderer {
    package init() {}

    package func render(
        _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
    ) throws -> RenderedImage {
        let bytes = try original.readAll(maxBytes: limits.maxInputBytes)
        return try Renderer(limits: limits).render(bytes.span, recipes: recipes, beside: others)
    }
}

/// Passes the original's own read-only descriptor: nothing is copied, and blobs never change.
extension IsolatedRenderer: PhotoRenderer {
    package func render(
        _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
    ) throws -> RenderedImage {
        let byteCount = try original.byteCount()
        return try original.withDescriptor { descriptor in
            try render(descriptor, byteCount: byteCount, recipes: recipes, beside: others, limits: limits)
        }
    }

    package func makeBackground() -> (any PhotoRenderer)? { inBackground() }

    package func rest() { endIdleWorkers() }

    package var isIsolated: Bool { true }
}

package import Files
package import Imaging
package import Isolation

/// The place where photos are rendered: this process, or one that can harm nobody.
package protocol PhotoRenderer: Sendable {
    /// Renders an original by the recipes. Blocks; is called by as many threads as photos are rendered at a time.
    ///
    /// - Parameter others: Recipes of the same set whose renditions are there already (`Renderer`).
    /// - Throws: `ImageError` or `IsolationError`, a permanent failure or a transient error; `FileError` when it cannot be read.
    func render(
        _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
    ) throws -> RenderedImage

    /// Makes a renderer for what nobody waits for: it works beside this one, and takes the processor from nobody. Nil where there
    /// is none, and this one has to do that, too.
    func makeBackground() -> (any PhotoRenderer)?

    /// Gives back what is kept for the next photo.
    func rest()

    /// Whether photos are decoded in processes of their own.
    var isIsolated: Bool { get }
}

extension PhotoRenderer {
    package func makeBackground() -> (any PhotoRenderer)? { nil }
    package func rest() {}
    package var isIsolated: Bool { false }
}

/// Renders in this process: what breaks the decoder breaks the service.
package struct InProcessRenderer: PhotoRenderer {
    package init() {}

    package func render(
        _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
    ) throws -> RenderedImage {
        let bytes = try original.readAll(maxBytes: limits.maxInputBytes)
        return try Renderer(limits: limits).render(bytes.span, recipes: recipes, beside: others)
    }
}

/// Hands over the original's own descriptor, which can only be read: nothing is copied, and blobs never change.
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

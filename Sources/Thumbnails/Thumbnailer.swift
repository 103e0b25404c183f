@_exported public import Imaging
@_exported public import Isolation

/// Makes thumbnails of photos, in this process or in sandboxed processes.
///
/// Rendering blocks: it keeps one processor busy for some tens of milliseconds. A thumbnailer may be called by any number of
/// threads at a time; each call of a sandboxed one has a process of its own, which later calls use again.
public struct Thumbnailer: Sendable {
    private enum Mode: Sendable {
        case inProcess
        case sandboxed(IsolatedRenderer)
    }

    /// The limits of a photo's costs: a photo beyond one of them is refused.
    public let limits: ImageLimits
    private let mode: Mode

    /// Creates a thumbnailer that decodes photos in this process, where a flaw of a decoder is a flaw of the program.
    ///
    /// - Parameter limits: The limits of a photo's costs.
    public init(limits: ImageLimits = ImageLimits()) {
        self.limits = limits
        mode = .inProcess
    }

    private init(_ renderer: IsolatedRenderer, limits: ImageLimits) {
        self.limits = limits
        mode = .sandboxed(renderer)
    }

    /// Creates a thumbnailer that decodes photos in processes that can only compute: they have no files, no network and a bounded
    /// memory, and a photo that ends two of them is refused.
    ///
    /// The processes run this program again, so its first line must be ``runSandboxedProcess()``.
    ///
    /// - Parameter limits: The limits of a photo's costs.
    /// - Throws: `IsolationError`: `isolation_unavailable` on a system without the means, or `worker_unavailable`.
    public static func sandboxed(limits: ImageLimits = ImageLimits()) throws(IsolationError) -> Thumbnailer {
        let program = WorkerProgram.this(arguments: [argument])
        return Thumbnailer(
            try IsolatedRenderer(program, limits: WorkerLimits(admitting: limits)), limits: limits)
    }

    /// The argument with which this program is started again.
    private static let argument = "--render-in-sandbox"

    /// Renders photos for another process and never returns, if this process was started for that; else returns at once.
    ///
    /// It must be called before the program has a second thread: first of all in `main.swift`.
    public static func runSandboxedProcess() {
        if CommandLine.arguments.dropFirst() == [argument] { RenderWorker.run() }
    }

    /// Renders a photo by each of the recipes, from one decode.
    ///
    /// - Parameters:
    ///   - photo: The bytes of a file.
    ///   - recipes: The descriptions of the renditions; by default, those of the photo service.
    /// - Returns: The renditions in the order of the recipes: upright, in sRGB, without metadata; the photo's header, a
    ///   placeholder, and warnings about damage.
    /// - Throws: `ImageError` for a photo that is refused, all recipes or none; `IsolationError` for a photo that ended its process
    ///   (`IsolationError.isPoison`), or for a process that was ended from outside.
    public func render(_ photo: [UInt8], recipes: [Recipe] = Recipe.defaults) throws -> RenderedImage {
        switch mode {
        case .inProcess: try Renderer(limits: limits).render(photo.span, recipes: recipes)
        case .sandboxed(let renderer): try renderer.render(photo, recipes: recipes, limits: limits)
        }
    }

    /// Renders a photo in a file, as ``render(_:recipes:)`` does.
    ///
    /// - Parameters:
    ///   - file: A descriptor that is open for reading; it stays open, and its offset stays as it is.
    ///   - recipes: The descriptions of the renditions; by default, those of the photo service.
    /// - Throws: Also `IsolationError` `unreadable` when the system cannot read the file.
    public func render(file: Int32, recipes: [Recipe] = Recipe.defaults) throws -> RenderedImage {
        let byteCount = try IsolatedRenderer.byteCount(of: file)
        switch mode {
        case .inProcess:
            // A byte beyond the limit is enough to refuse the photo.
            let bytes = try IsolatedRenderer.bytes(of: file, maxCount: min(byteCount, limits.maxInputBytes + 1))
            return try Renderer(limits: limits).render(bytes.span, recipes: recipes)
        case .sandboxed(let renderer):
            return try renderer.render(file, byteCount: byteCount, recipes: recipes, limits: limits)
        }
    }
}

/// A decoder that lays an animation's frames on a canvas, one at a time.
protocol AnimationDecoder: ~Copyable {
    /// The number of times that the animation is shown; 0 is for ever.
    var loopCount: Int { get }

    /// The warning about frames of which some data was missing or damaged; to be asked once all were laid.
    var warning: ImageWarning? { get }

    /// Lays the next frame on the canvas; returns for how many milliseconds it is shown, or nil behind the last one.
    ///
    /// - Parameter bytes: The file's bytes, the same ones in every call.
    mutating func layNext(on canvas: inout AnimationCanvas, from bytes: Span<UInt8>) throws(ImageError) -> Int?
}

extension AnimationDecoder where Self: ~Copyable {
    var warning: ImageWarning? { nil }
}

/// A rendition of several frames, and the warning about them.
struct AnimatedRendition {
    let rendition: Rendition
    let warning: ImageWarning?
}

/// A decoder that draws an animation's frames on a canvas, one at a time.
protocol AnimationDecoder: ~Copyable {
    /// The number of times that the animation is shown; 0 means forever.
    var loopCount: Int { get }

    /// The warning about frames with missing or damaged data; complete once all frames have been drawn.
    var warning: ImageWarning? { get }

    /// Draws the next frame on the canvas; returns its duration in milliseconds, or nil after the last frame.
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

/// How a row or a column of samples lies on the picture.
struct SampleAxis: Sendable, Hashable {
    /// How many samples there are.
    let count: Int
    /// Where the picture begins, in samples from the first one's edge.
    let origin: Double
    /// How long the picture is, in samples: less than `count` where the last one reaches beyond the edge, more where
    /// the samples show only a part of it.
    let extent: Double

    init(count: Int, origin: Double = 0, extent: Double) {
        self.count = count
        self.origin = origin
        self.extent = extent
    }

    /// The axis of a picture that has a sample a pixel.
    init(count: Int) { self.init(count: count, extent: Double(count)) }

    /// The samples that it takes for a picture of such an extent.
    init(extent: Double) { self.init(count: max(1, Int(extent.rounded(.up))), extent: extent) }
}

/// How a plane of samples lies on the picture: chroma's samples, for one, may be larger than its pixels.
struct PlaneLayout: Sendable, Hashable {
    let horizontal: SampleAxis
    let vertical: SampleAxis

    init(horizontal: SampleAxis, vertical: SampleAxis) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// The layout of a plane with a sample a pixel.
    init(_ size: PixelSize) {
        self.init(horizontal: SampleAxis(count: size.width), vertical: SampleAxis(count: size.height))
    }

    /// The layout of a JPEG's component (T.81, A.1.1), decoded at some eighths of its size.
    ///
    /// - Parameter ratio: the component's samples to the picture's pixels.
    init(component ratio: (horizontal: Double, vertical: Double), of picture: PixelSize, eighths: Int) {
        let scale = Double(eighths) / 8
        self.init(
            horizontal: SampleAxis(extent: Double(picture.width) * ratio.horizontal * scale),
            vertical: SampleAxis(extent: Double(picture.height) * ratio.vertical * scale))
    }

    var sampleCount: Int { horizontal.count * vertical.count }
}

/// The position of a row or a column of samples on the image.
struct SampleAxis: Sendable, Hashable {
    /// The number of samples.
    let count: Int
    /// The beginning of the image, in samples from the first one's edge.
    let origin: Double
    /// The length of the image in samples: less than `count` where the last one reaches beyond the edge, more where
    /// the samples show only a part of it.
    let extent: Double

    init(count: Int, origin: Double = 0, extent: Double) {
        self.count = count
        self.origin = origin
        self.extent = extent
    }

    /// The axis of an image that has a sample a pixel.
    init(count: Int) { self.init(count: count, extent: Double(count)) }

    /// The axis with as many samples as an image of an extent takes.
    init(extent: Double) { self.init(count: max(1, Int(extent.rounded(.up))), extent: extent) }
}

/// The position of a plane of samples on the image: chroma's samples, for one, may be larger than its pixels.
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

    /// The layout of a plane with a sample for two by two pixels.
    init(halved size: PixelSize) {
        self.init(
            horizontal: SampleAxis(extent: Double(size.width) / 2),
            vertical: SampleAxis(extent: Double(size.height) / 2))
    }

    var sampleCount: Int { horizontal.count * vertical.count }
}

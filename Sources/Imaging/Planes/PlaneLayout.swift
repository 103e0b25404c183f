/// The position of a row or a column of samples on the image.
struct SampleAxis: Sendable, Hashable {
    /// The number of samples.
    let count: Int
    /// The edge of the image, in samples from the first sample's edge.
    let origin: Double
    /// The length of the image in samples: less than `count` if the last sample extends beyond the edge; more if the
    /// samples cover only a part of the image.
    let extent: Double

    init(count: Int, origin: Double = 0, extent: Double) {
        self.count = count
        self.origin = origin
        self.extent = extent
    }

    /// Creates the axis of an image with one sample per pixel.
    init(count: Int) { self.init(count: count, extent: Double(count)) }

    /// Creates an axis with as many samples as an image of an extent needs.
    init(extent: Double) { self.init(count: max(1, Int(extent.rounded(.up))), extent: extent) }
}

/// The position of a plane of samples on the image; chroma samples, for example, may be larger than pixels.
struct PlaneLayout: Sendable, Hashable {
    let horizontal: SampleAxis
    let vertical: SampleAxis

    init(horizontal: SampleAxis, vertical: SampleAxis) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// Creates the layout of a plane with one sample per pixel.
    init(_ size: PixelSize) {
        self.init(horizontal: SampleAxis(count: size.width), vertical: SampleAxis(count: size.height))
    }

    /// Creates the layout of a plane with one sample for two by two pixels.
    init(halved size: PixelSize) {
        self.init(
            horizontal: SampleAxis(extent: Double(size.width) / 2),
            vertical: SampleAxis(extent: Double(size.height) / 2))
    }

    var sampleCount: Int { horizontal.count * vertical.count }
}

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

    /// The layout of a plane with a sample for two by two pixels.
    init(halved size: PixelSize) {
        self.init(
            horizontal: SampleAxis(extent: Double(size.width) / 2),
            vertical: SampleAxis(extent: Double(size.height) / 2))
    }

    /// The layout of a JPEG's component (T.81, A.1.1), decoded at some eighths of its size.
    init(component: SamplingFactors, of largest: SamplingFactors, in picture: PixelSize, eighths: Int) {
        // One division of whole numbers, or a last sample might come of rounding.
        func extent(_ side: Int, _ factor: Int, _ largest: Int) -> Double {
            Double(side * factor * eighths) / Double(largest * 8)
        }
        self.init(
            horizontal: SampleAxis(extent: extent(picture.width, component.horizontal, largest.horizontal)),
            vertical: SampleAxis(extent: extent(picture.height, component.vertical, largest.vertical)))
    }

    var sampleCount: Int { horizontal.count * vertical.count }
}

/// H and V of a JPEG's component: how many of its samples stand for as many of the other components' (T.81, A.1.1).
struct SamplingFactors: Sendable, Hashable {
    var horizontal: Int
    var vertical: Int

    static var one: SamplingFactors { SamplingFactors(horizontal: 1, vertical: 1) }
}

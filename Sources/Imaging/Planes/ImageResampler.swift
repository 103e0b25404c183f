/// Makes one target of an image out of its planes' rows.
struct ImageResampler {
    private let target: ResizeTarget
    private let colorModel: ColorModel
    private var planes: [PlaneResampler]

    /// - Parameter layouts: The layouts of the planes whose rows are to come.
    init(_ target: ResizeTarget, of colorModel: ColorModel, layouts: [PlaneLayout]) {
        self.target = target
        self.colorModel = colorModel
        planes = zip(layouts, target.layouts(colorModel)).map { source, target in
            PlaneResampler(
                to: target, horizontal: .between(source.horizontal, target.horizontal),
                vertical: .between(source.vertical, target.vertical))
        }
    }

    /// Takes the next rows of all planes.
    mutating func push(_ band: PlaneBand) {
        for (index, plane) in zip(planes.indices, band.planes) {
            planes[index].push(rows: plane.rowCount, of: band.samples.span, at: plane.offset, stride: plane.stride)
        }
    }

    /// Takes all rows of an image with the layouts that were announced.
    mutating func push(_ image: PlanarImage) {
        for (index, plane) in zip(planes.indices, image.planes) {
            planes[index].push(rows: plane.size.height, of: plane.samples.span, at: 0, stride: plane.size.width)
        }
    }

    /// The target, once all rows were taken.
    var image: PlanarImage { PlanarImage(colorModel: colorModel, size: target.size, planes: planes.map(\.plane)) }
}

extension PlanarImage {
    /// A target of an image that shows all of the original.
    func resampled(to target: ResizeTarget) -> PlanarImage {
        var resampler = ImageResampler(target, of: colorModel, layouts: planes.map(\.layout))
        resampler.push(self)
        return resampler.image
    }
}

extension PlaneResampler {
    fileprivate mutating func push(rows: Int, of samples: Span<UInt8>, at offset: Int, stride: Int) {
        for row in 0..<rows {
            let start = offset + row * stride
            push(samples.extracting(start..<start + stride))
        }
    }
}

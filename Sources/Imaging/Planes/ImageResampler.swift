/// Resamples an image to one target from the rows of its planes.
struct ImageResampler {
    private let target: ResizeTarget
    private let colorModel: ColorModel
    private var planes: [PlaneResampler]

    /// - Parameter layouts: The layouts of the planes whose rows will be pushed.
    init(_ target: ResizeTarget, of colorModel: ColorModel, layouts: [PlaneLayout]) {
        self.target = target
        self.colorModel = colorModel
        planes = zip(layouts, target.layouts(colorModel)).map { source, target in
            PlaneResampler(
                to: target, horizontal: .between(source.horizontal, target.horizontal),
                vertical: .between(source.vertical, target.vertical))
        }
    }

    /// Processes the next rows of all planes.
    mutating func push(_ band: PlaneBand) {
        for (index, plane) in zip(planes.indices, band.planes) {
            planes[index].push(rows: plane.rowCount, of: band.samples.span, at: plane.offset, stride: plane.stride)
        }
    }

    /// Processes all rows of an image whose planes have the layouts given at the creation.
    mutating func push(_ image: PlanarImage) {
        for (index, plane) in zip(planes.indices, image.planes) {
            planes[index].push(rows: plane.size.height, of: plane.samples.span, at: 0, stride: plane.size.width)
        }
    }

    /// The resampled image; complete once all rows have been pushed.
    var image: PlanarImage { PlanarImage(colorModel: colorModel, size: target.size, planes: planes.map(\.plane)) }
}

extension PlanarImage {
    /// Resamples an image that shows all of the original to a target.
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

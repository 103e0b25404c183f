/// Makes one view of a picture out of its planes' rows.
struct PictureResampler {
    private let view: View
    private let colorModel: ColorModel
    private var planes: [PlaneResampler]

    /// - Parameter layouts: of the planes whose rows are to come.
    init(_ view: View, of colorModel: ColorModel, layouts: [PlaneLayout]) {
        self.view = view
        self.colorModel = colorModel
        planes = zip(layouts, view.layouts(colorModel)).map { source, target in
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

    /// Takes all rows of a picture with the layouts that were announced.
    mutating func push(_ picture: Picture) {
        for (index, plane) in zip(planes.indices, picture.planes) {
            planes[index].push(rows: plane.size.height, of: plane.samples.span, at: 0, stride: plane.size.width)
        }
    }

    /// The view, once all rows were taken.
    var picture: Picture { Picture(colorModel: colorModel, size: view.size, planes: planes.map(\.plane)) }
}

extension Picture {
    /// A view of a picture that shows all of the original.
    func resampled(to view: View) -> Picture {
        var resampler = PictureResampler(view, of: colorModel, layouts: planes.map(\.layout))
        resampler.push(self)
        return resampler.picture
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

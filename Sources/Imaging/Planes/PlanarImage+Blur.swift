extension PlanarImage {
    /// The number of patches along the longer side of a blurred image.
    private static let patchCount = 8
    /// The minimum number of pixels along a side of a patch, however small the image is.
    private static let patchSide = 4

    /// Returns the image as a few patches of colour that blend into one another.
    ///
    /// Each patch is the mean of its samples, and no other data remains: at most 8×8 values per plane, from which the
    /// image cannot be reconstructed.
    func blurred() -> PlanarImage {
        let longest = max(size.width, size.height)
        func count(_ side: Int) -> Int {
            let share = (Double(PlanarImage.patchCount * side) / Double(longest)).rounded()
            return max(1, min(Int(share), side / PlanarImage.patchSide))
        }
        return PlanarImage(
            colorModel: colorModel, size: size,
            planes: planes.map { $0.blurred(columns: count(size.width), rows: count(size.height)) })
    }
}

extension Plane {
    /// Returns the plane, drawn from the means of the given number of columns and rows of patches.
    fileprivate func blurred(columns: Int, rows: Int) -> Plane {
        let (width, height) = (size.width, size.height)
        guard width > 0, height > 0 else { return self }
        let (columns, rows) = (min(columns, width), min(rows, height))
        let means = means(columns: columns, rows: rows)
        let across = PatchWeight.all(for: width, patches: columns)
        let down = PatchWeight.all(for: height, patches: rows)
        var result = self
        for (y, vertical) in down.enumerated() {
            // A row of patches, interpolated between the two with the nearest centres.
            let row = (0..<columns).map { column in
                vertical.blend(means[vertical.first * columns + column], means[vertical.second * columns + column])
            }
            for (x, horizontal) in across.enumerated() {
                let value = horizontal.blend(row[horizontal.first], row[horizontal.second])
                result.samples[y * width + x] = UInt8(clamping: Int(value.rounded()))
            }
        }
        return result
    }

    /// Returns the means of the patches, row by row.
    private func means(columns: Int, rows: Int) -> [Double] {
        var means: [Double] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let xs = column * size.width / columns..<(column + 1) * size.width / columns
                let ys = row * size.height / rows..<(row + 1) * size.height / rows
                var sum = 0
                for y in ys {
                    for x in xs { sum += Int(samples[y * size.width + x]) }
                }
                means.append(Double(sum) / Double(max(1, xs.count * ys.count)))
            }
        }
        return means
    }
}

/// The two patches whose centres enclose a sample, and the weight of the second.
private struct PatchWeight {
    let first: Int
    let second: Int
    let share: Double

    /// Returns the weights of all samples along a side.
    static func all(for count: Int, patches: Int) -> [PatchWeight] {
        (0..<count).map { index in
            let place = (Double(index) + 0.5) * Double(patches) / Double(count) - 0.5
            let bounded = min(max(0, place), Double(patches - 1))
            let first = Int(bounded)
            let rest = bounded - Double(first)
            // Smooth where one patch blends into the next (Hermite interpolation).
            return PatchWeight(
                first: first, second: min(first + 1, patches - 1), share: rest * rest * (3 - 2 * rest))
        }
    }

    func blend(_ one: Double, _ other: Double) -> Double { one + (other - one) * share }
}

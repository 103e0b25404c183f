/// A matrix of three columns of three numbers, which maps amounts of three colours to amounts of three others.
struct Matrix3: Sendable {
    let columns: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

    init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) { columns = (first, second, third) }

    static func * (matrix: Matrix3, vector: SIMD3<Double>) -> SIMD3<Double> {
        matrix.columns.0 * vector.x + matrix.columns.1 * vector.y + matrix.columns.2 * vector.z
    }

    static func * (left: Matrix3, right: Matrix3) -> Matrix3 {
        Matrix3(left * right.columns.0, left * right.columns.1, left * right.columns.2)
    }

    /// The inverse of an invertible matrix, by Cramer's rule.
    var inverse: Matrix3 {
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let (a, b, c) = columns
        let rows = (cross(b, c), cross(c, a), cross(a, b))
        let determinant = (a * rows.0).sum()
        return Matrix3(
            SIMD3(rows.0.x, rows.1.x, rows.2.x) / determinant, SIMD3(rows.0.y, rows.1.y, rows.2.y) / determinant,
            SIMD3(rows.0.z, rows.1.z, rows.2.z) / determinant)
    }
}

extension PrimaryColors {
    /// The matrix from amounts of red, green and blue light to CIE 1931's XYZ, where white has a Y of 1.
    var toXYZ: Matrix3 {
        func xyz(_ color: SIMD2<Double>) -> SIMD3<Double> {
            SIMD3(color.x / color.y, 1, (1 - color.x - color.y) / color.y)
        }
        let primaries = Matrix3(xyz(red), xyz(green), xyz(blue))
        let amounts = primaries.inverse * xyz(white)
        return Matrix3(
            primaries.columns.0 * amounts.x, primaries.columns.1 * amounts.y, primaries.columns.2 * amounts.z)
    }

    /// The shares of red, green and blue in the luminance of white.
    var luminance: SIMD3<Double> {
        let columns = toXYZ.columns
        return SIMD3(columns.0.y, columns.1.y, columns.2.y)
    }

    /// The matrix from amounts of the primaries' light to amounts of sRGB's, which maps white to white.
    var toSRGB: Matrix3 {
        let matrix = PrimaryColors.sRGB.toXYZ.inverse * toXYZ
        let white = matrix * SIMD3(repeating: 1)
        return Matrix3(matrix.columns.0 / white, matrix.columns.1 / white, matrix.columns.2 / white)
    }
}

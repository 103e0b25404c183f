#if HEIF
    internal import CCodecs

    /// A coded image of a HEIC or AVIF, decoded by libde265 or libdav1d: the planes in the decoder's memory.
    @safe
    final class CodedImage {
        /// The properties that two images must share to be tiles of one image.
        struct Shape: Equatable {
            /// The number of planes: 1 for grey, 3 for luma and two colour differences.
            var planeCount: Int { bits.count }
            /// The number of bits of a sample of each plane, 8 to 16.
            let bits: [Int]
            /// Whether colour differences have half as many samples along a row (`isHalvedAcross`) and along a column
            /// (`isHalvedDown`).
            let isHalvedAcross: Bool
            let isHalvedDown: Bool
        }

        let size: PixelSize
        let shape: Shape
        /// The colour coding in the coded image itself.
        let coding: ColorCoding
        private let handle: CodecHandle
        private let planes: [ccodecs_coded_plane]

        /// Decodes an item's data, which has been inspected.
        ///
        /// - Parameter size: The size in the file's tables, which the coded image may exceed by a block.
        convenience init(
            _ data: [UInt8], isAV1: Bool, size: PixelSize, format: ImageFormat, limits: ImageLimits
        ) throws(ImageError) {
            var report = CodecReport(format, limits: limits)
            var pointer: OpaquePointer?
            var image = ccodecs_coded_image()
            let code =
                isAV1
                ? unsafe ccodecs_av1_decode(data, data.count, size.coded.pixelCount, &pointer, &image, &report.fault)
                : unsafe ccodecs_hevc_decode(data, data.count, &pointer, &image, &report.fault)
            let handle = try unsafe CodecHandle(pointer, close: isAV1 ? ccodecs_av1_close : ccodecs_hevc_close)
            try report.check(code)
            try self.init(handle, image, format: format)
        }

        /// Takes ownership of a decoded image, with the function that closes it.
        init(
            _ handle: consuming CodecHandle, _ image: ccodecs_coded_image, format: ImageFormat
        ) throws(ImageError) {
            self.handle = handle
            let three = unsafe image.planes
            unsafe planes = unsafe Array([three.0, three.1, three.2].prefix(Int(image.plane_count)))
            self.size = unsafe PixelSize(width: Int(three.0.width), height: Int(three.0.height))
            let color = image.color
            coding = ColorCoding(
                primaries: Int(color.primaries), transfer: Int(color.transfer), matrix: Int(color.matrix),
                isFullRange: color.is_full_range)
            shape = unsafe Shape(
                bits: planes.map { unsafe Int($0.bits) },
                isHalvedAcross: unsafe planes.last?.width != planes.first?.width,
                isHalvedDown: unsafe planes.last?.height != planes.first?.height)
            guard unsafe planes.allSatisfy({ unsafe $0.samples != nil && (8...16).contains($0.bits) }) else {
                throw .unsupported("\(format.name) of such a depth")
            }
        }

        /// Copies a part of a row of samples through a table; 8-bit samples are copied unchanged if the table is empty.
        func copy(
            _ plane: Int, row: Int, columns: Range<Int>, by table: [UInt8], to samples: inout [UInt8], at start: Int
        ) {
            var source = unsafe planes[plane]
            precondition(isInside(plane, row, columns, tableCount: table.isEmpty ? 256 : table.count))
            unsafe samples.withUnsafeMutableBufferPointer { samples in
                let target = unsafe UnsafeMutableBufferPointer(rebasing: samples[start..<start + columns.count])
                unsafe ccodecs_coded_row(
                    &source, UInt32(row), UInt32(columns.lowerBound), UInt32(columns.count),
                    table.isEmpty ? nil : table, target.baseAddress)
            }
        }

        /// Copies a part of a row of samples, converted to the levels in a table.
        func copy(
            _ plane: Int, row: Int, columns: Range<Int>, by table: [Float], to levels: inout [Float], at start: Int
        ) {
            var source = unsafe planes[plane]
            precondition(isInside(plane, row, columns, tableCount: table.count))
            unsafe levels.withUnsafeMutableBufferPointer { levels in
                let target = unsafe UnsafeMutableBufferPointer(rebasing: levels[start..<start + columns.count])
                unsafe ccodecs_coded_levels(
                    &source, UInt32(row), UInt32(columns.lowerBound), UInt32(columns.count), table, target.baseAddress)
            }
        }

        private func isInside(_ plane: Int, _ row: Int, _ columns: Range<Int>, tableCount: Int) -> Bool {
            let plane = unsafe planes[plane]
            return unsafe row >= 0 && row < Int(plane.height) && columns.lowerBound >= 0
                && columns.upperBound <= Int(plane.width) && tableCount == 1 << Int(plane.bits)
        }
    }
#endif

#if HEIF
    @testable import Imaging

    /// The two HEVC decoders that are held against each other.
    enum HEVCOracle {
        /// All samples of a picture, plane by plane, and what it says of them.
        struct Decoded: Equatable {
            let size: PixelSize
            let shape: CodedPicture.Shape
            let coding: ColorCoding
            var samples: [[Float]] = []
        }

        /// What the coded pictures of a file's primary picture are decoded from, each once, and their size; none where its
        /// header is refused.
        static func pictures(in bytes: [UInt8]) -> [(units: [UInt8], size: PixelSize)] {
            guard let header = try? HEIFHeader.read(bytes.span, format: .heic),
                header.picture.tileSize.pixelCount <= 1 << 24
            else { return [] }
            return Set(header.picture.tiles).sorted().compactMap { item in
                guard header.items.types[item] == "hvc1", let units = try? header.items.codedData(of: item, bytes.span)
                else { return nil }
                return (units, header.picture.tileSize)
            }
        }

        /// libavcodec's; nil where it leaves the picture to libde265.
        static func ours(_ units: [UInt8], _ size: PixelSize) -> Decoded? {
            guard let codec = QuickHEVC(maxPixels: size.coded.pixelCount) else { return nil }
            return decoded(codec.picture(units, format: .heic))
        }

        /// libde265's.
        static func theirs(_ units: [UInt8], _ size: PixelSize) -> Decoded? {
            decoded(
                try? CodedPicture(
                    units, isAV1: false, size: size, format: .heic, limits: ImageLimits()))
        }

        /// All samples; nil of no picture.
        static func decoded(_ picture: CodedPicture?) -> Decoded? {
            guard let picture else { return nil }
            let shape = picture.shape
            var decoded = Decoded(size: picture.size, shape: shape, coding: picture.coding)
            for plane in 0..<shape.planeCount {
                let (across, down) = (plane > 0 && shape.isHalvedAcross, plane > 0 && shape.isHalvedDown)
                let width = across ? (picture.size.width + 1) / 2 : picture.size.width
                let height = down ? (picture.size.height + 1) / 2 : picture.size.height
                let table = (0..<1 << shape.bits[plane]).map(Float.init)
                var samples = [Float](repeating: 0, count: width * height)
                for row in 0..<height {
                    picture.copy(plane, row: row, columns: 0..<width, by: table, to: &samples, at: row * width)
                }
                decoded.samples.append(samples)
            }
            return decoded
        }
    }
#endif

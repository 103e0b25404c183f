#if HEIF
    @testable import Imaging

    /// The two HEVC decoders that are compared with each other.
    enum HEVCOracle {
        /// The samples of an image, plane by plane, and their coding.
        struct Decoded: Equatable {
            let size: PixelSize
            let shape: CodedImage.Shape
            let coding: ColorCoding
            var samples: [[Float]] = []
        }

        /// Returns the units of a file's coded images, each once, and their sizes; empty if its header is refused.
        static func images(in bytes: [UInt8]) -> [(units: [UInt8], size: PixelSize)] {
            guard let header = try? HEIFHeader.read(bytes.span, format: .heic),
                header.image.tileSize.pixelCount <= 1 << 24
            else { return [] }
            return Set(header.image.tiles).sorted().compactMap { item in
                guard header.items.types[item] == "hvc1", let units = try? header.items.codedData(of: item, bytes.span)
                else { return nil }
                return (units, header.image.tileSize)
            }
        }

        /// Returns the samples from libavcodec; nil if it leaves the image to libde265.
        static func ours(_ units: [UInt8], _ size: PixelSize) -> Decoded? {
            guard let codec = LibavcodecDecoder(maxPixels: size.coded.pixelCount) else { return nil }
            return decoded(codec.image(units, format: .heic))
        }

        /// Returns the samples from libde265.
        static func theirs(_ units: [UInt8], _ size: PixelSize) -> Decoded? {
            decoded(
                try? CodedImage(
                    units, isAV1: false, size: size, format: .heic, limits: ImageLimits()))
        }

        /// Reads all samples; nil without an image.
        static func decoded(_ image: CodedImage?) -> Decoded? {
            guard let image else { return nil }
            let shape = image.shape
            var decoded = Decoded(size: image.size, shape: shape, coding: image.coding)
            for plane in 0..<shape.planeCount {
                let (across, down) = (plane > 0 && shape.isHalvedAcross, plane > 0 && shape.isHalvedDown)
                let width = across ? (image.size.width + 1) / 2 : image.size.width
                let height = down ? (image.size.height + 1) / 2 : image.size.height
                let table = (0..<1 << shape.bits[plane]).map(Float.init)
                var samples = [Float](repeating: 0, count: width * height)
                for row in 0..<height {
                    image.copy(plane, row: row, columns: 0..<width, by: table, to: &samples, at: row * width)
                }
                decoded.samples.append(samples)
            }
            return decoded
        }
    }
#endif

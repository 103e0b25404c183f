/// Errors for valid images that are not supported: they name the kind, so that the image is not mistaken for a damaged
/// one.
extension HEIFItems {
    /// The error for a file without an image.
    var refusalWithoutImage: ImageError {
        if isMinimized { return refusal("of the low-overhead kind (mini)") }
        if hasTracks {
            return .unsupported(
                "\(format.name) that is a film or an animation, without a still picture,",
                hint: "Save one of its pictures as a JPEG, PNG, HEIC or AVIF, and send that.")
        }
        return refusal(types.isEmpty ? "without a still picture" : "that does not specify its primary picture")
    }

    /// The error for a picture of several layers, such as one for each eye.
    var refusalOfLayers: ImageError { refusal("of pictures in several layers (multilayer HEVC)") }

    /// Throws if an item is of a kind that is not supported, or if its bytes are not stored in the file directly.
    func checkKind(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) {
        switch obstacles[item] {
        case .protection:
            throw .unsupported(
                "\(format.name) that is protected or encrypted",
                hint: "Save the picture without protection, or as a JPEG, and send that.")
        case .otherFile:
            throw .unsupported(
                "\(format.name) whose pictures are in another file",
                hint: "Save the picture as one file, for instance as a JPEG, and send that.")
        case .otherItems: throw refusal("whose data is composed of other items (construction method 2)")
        case nil: break
        }
        guard let type = types[item] else { throw .corrupt(format, "a picture that is not there") }
        guard items(from: item, by: "pred", bytes).isEmpty else {
            throw refusal("of pictures that are predicted from others (pred)")
        }
        guard !["hvc1", "av01", "grid", "iden"].contains(type) else { return }
        throw refusal(HEIFItems.names[type] ?? "with a picture of \(type.quotedType)")
    }

    /// Kinds of images (ISO/IEC 23008-12, 6.6 and its annexes, and 23001-17), as phrases that follow a format's name.
    private static let names = [
        "iovl": "that is an overlay of pictures (iovl)",
        "tmap": "that is a picture and a gain map together (tmap)",
        "unci": "of pictures that are not compressed (unci)",
        "avc1": coded("H.264", "avc1"), "vvc1": coded("H.266/VVC", "vvc1"), "evc1": coded("EVC", "evc1"),
        "lhv1": coded("layered HEVC", "lhv1"), "jpeg": coded("JPEG", "jpeg"), "j2k1": coded("JPEG 2000", "j2k1"),
    ]

    private static func coded(_ name: String, _ type: String) -> String {
        "of pictures that are coded as \(name) (\(type))"
    }

    private func refusal(_ what: String) -> ImageError {
        .unsupported(
            "\(format.name) \(what)",
            hint: "Save the picture as a JPEG, a PNG, or a HEIC or AVIF of the usual kind, and send that.")
    }
}

extension String {
    /// The description of an item's type, which should be four printable characters but may be any four bytes.
    fileprivate var quotedType: String {
        utf8.allSatisfy { (0x20...0x7E).contains($0) } ? "the kind \"\(self)\"" : "an unknown kind"
    }
}

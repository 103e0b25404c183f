/// Names that desktop systems, synchronisers and copying programs leave in folders, files that are on their way, and what photo
/// programs keep beside photos (`.xmp` is read where it lies).
enum IgnoredFiles {
    private static let names = [
        "Thumbs.db", "ehthumbs.db", "desktop.ini", "__MACOSX", "@eaDir", "lost+found",
    ].map { Array($0.utf8) }
    private static let suffixes = [
        ".part", ".partial", ".tmp", ".crdownload", ".opdownload", ".download", ".filepart", ".uploading",
        ".incomplete", "~",
        ".aae", ".AAE", ".xmp", ".XMP",
    ].map { Array($0.utf8) }

    static func contains(_ name: String) -> Bool {
        contains(Array(name.utf8))
    }

    static func contains(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        name.first == UInt8(ascii: ".") || names.contains { $0.elementsEqual(name) }
            || suffixes.contains { $0.reversed().elementsEqual(name.suffix($0.count).reversed()) }
    }
}

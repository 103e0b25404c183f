/// Names that desktop systems, synchronisers and copying programs leave in folders, files that are on their way, and what photo
/// programs keep beside photos (`.xmp` is read where it lies).
enum IgnoredFiles {
    private static let names = [
        "Thumbs.db", "ehthumbs.db", "desktop.ini", "__MACOSX", "@eaDir", "lost+found",
    ].map { Array($0.utf8) }
    private static let unfinished = [
        ".part", ".partial", ".tmp", ".crdownload", ".opdownload", ".download", ".filepart", ".uploading",
        ".incomplete",
    ]
    private static let suffixes = (unfinished + ["~", ".aae", ".AAE", ".xmp", ".XMP"]).map { Array($0.utf8) }

    /// Whether a file is one of some others on its way: its name has the other's in it, and is hidden or ends as such names do.
    static func isUnfinished(_ name: String, of others: [String]) -> Bool {
        guard name.hasPrefix(".") || unfinished.contains(where: name.hasSuffix) else { return false }
        return others.contains(where: name.contains)
    }

    static func contains(_ name: String) -> Bool {
        contains(Array(name.utf8))
    }

    static func contains(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        name.first == UInt8(ascii: ".") || names.contains { $0.elementsEqual(name) }
            || suffixes.contains { $0.reversed().elementsEqual(name.suffix($0.count).reversed()) }
    }
}

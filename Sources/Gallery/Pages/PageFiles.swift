import CPage

/// The files of the pages in the binary.
enum PageFiles {
    /// All files, by their names.
    static let all: [String: [UInt8]] = {
        var all: [String: [UInt8]] = [:]
        while true {
            let file = cpage_file_at(all.count)
            guard let name = file.name else { return all }
            all[String(cString: name)] = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        }
    }()

    /// The files that are served below `/page/` by their names. Of the others the service makes what it serves.
    static let served = all.filter { name, _ in
        !["icon.png", "modules.js", "texts.json"].contains(name) && !name.hasSuffix(".mustache")
    }

    /// The bytes of a file; none for an unknown name.
    static subscript(_ name: String) -> [UInt8] { all[name] ?? [] }
}

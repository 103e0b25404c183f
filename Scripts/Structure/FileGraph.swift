/// The arrows between the files of a target: one leads to each file that alone declares a type which another file names.
struct FileGraph {
    /// By the path of a file, the paths of those that it needs, each with the first of the types that it names there.
    private(set) var arrows: [String: [String: String]] = [:]

    init(_ files: [SourceFile]) {
        var homes: [String: Set<String>] = [:]
        for file in files {
            for type in file.topLevelTypes { homes[type, default: []].insert(file.path) }
        }
        for file in files {
            arrows[file.path] = [:]
            for type in file.names.sorted(by: >) {
                guard let home = homes[type], home.count == 1, let other = home.first, other != file.path else {
                    continue
                }
                arrows[file.path]?[other] = type
            }
        }
    }

    /// The circles: files of which each needs each other, by way of others if not straight. The largest is the first.
    ///
    /// These are the strongly connected components of more than one file, by Tarjan's algorithm (1972).
    func circles() -> [[String]] {
        var search = Search(arrows)
        for file in arrows.keys.sorted() where search.numbers[file] == nil { search.visit(file) }
        return search.circles.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    }

    private struct Search {
        private let arrows: [String: [String: String]]
        /// In which order files were met.
        private(set) var numbers: [String: Int] = [:]
        /// The lowest number that can be reached from each file.
        private var lows: [String: Int] = [:]
        private var path: [String] = []
        private(set) var circles: [[String]] = []

        init(_ arrows: [String: [String: String]]) { self.arrows = arrows }

        mutating func visit(_ file: String) {
            let number = numbers.count
            numbers[file] = number
            lows[file] = number
            path.append(file)
            for other in arrows[file, default: [:]].keys.sorted() {
                if numbers[other] == nil { visit(other) }
                if path.contains(other) { lows[file] = min(lows[file] ?? number, lows[other] ?? number) }
            }
            guard lows[file] == number, let start = path.firstIndex(of: file) else { return }
            if path.count - start > 1 { circles.append(path[start...].sorted()) }
            path.removeSubrange(start...)
        }
    }
}

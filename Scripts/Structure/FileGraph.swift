/// The dependencies between the files of a target. A file depends on another one when it names a type that only the
/// other file declares.
struct FileGraph {
    /// The files that each file depends on, each with the first type that the file names from it; keyed by path.
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

    /// The cycles: groups of files that all depend on each other, directly or through others. The largest is the first.
    ///
    /// These are the strongly connected components of more than one file, by Tarjan's algorithm (1972).
    func circles() -> [[String]] {
        var search = Search(arrows)
        for file in arrows.keys.sorted() where search.numbers[file] == nil { search.visit(file) }
        return search.circles.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    }

    private struct Search {
        private let arrows: [String: [String: String]]
        /// The position of each file in the order of the visits.
        private(set) var numbers: [String: Int] = [:]
        /// The lowest number that is reachable from each file.
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

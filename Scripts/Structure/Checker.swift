/// The comparison of source files with the rules.
struct Checker {
    let rules: Rules
    private(set) var complaints: [String] = []
    private var used: Set<Rules.Exception> = []
    /// The rows of imports for which there are files.
    private var usedRows: Set<String> = ["*"]

    init(_ rules: Rules) { self.rules = rules }

    private func limit(_ name: String) -> Int { rules.limits[name] ?? 0 }

    /// Complains unless an exception allows it, up to its size if it has one.
    private mutating func complain(_ kind: String, _ subject: String, size: Int? = nil, _ message: String) {
        let exception = Rules.Exception(kind: kind, subject: subject)
        if let allowed = rules.exceptions[exception] {
            used.insert(exception)
            if let allowed, let size, size > allowed {
                complaints.append("\(message); its exception ends at \(allowed)")
            }
            return
        }
        complaints.append(message)
    }

    mutating func checkSizes(_ file: SourceFile) {
        let (lines, longest) = (limit(Rules.fileLines), limit(Rules.functionLines))
        if file.lineCount > lines {
            complain("file", file.path, size: file.lineCount, "\(file.path) has \(file.lineCount) lines, not \(lines)")
        }
        for function in file.functions where function.lineCount > longest {
            complain(
                "function", "\(file.path) \(function.name)", size: function.lineCount,
                "\(file.path): \(function.name) has \(function.lineCount) lines, not \(longest)")
        }
    }

    mutating func checkTarget(_ target: String, at path: String, _ files: [SourceFile]) {
        guard let allowed = rules.imports[target] else {
            complaints.append("the target \(target) is not in the table of who may import whom")
            return
        }
        usedRows.insert(target)
        let always = rules.imports["*"] ?? []
        for file in files {
            // A folder may have a row of its own, such as DatabaseHTTP/Streams.
            let folder = "\(target)/\(Self.folder(of: file, below: path))"
            let own = rules.imports[folder]
            if own != nil { usedRows.insert(folder) }
            let name = own == nil ? target : folder
            for module in file.imports.subtracting(own ?? allowed).subtracting(always).sorted() {
                complain("import", "\(file.path) \(module)", "\(file.path) imports \(module), which \(name) may not")
            }
        }
        let most = limit(Rules.typeFunctions)
        let counts = files.reduce(into: [:]) { $0.merge($1.functionCounts, uniquingKeysWith: +) }
        for (type, count) in counts.sorted(by: { $0.key < $1.key }) where count > most {
            complain("type", "\(target).\(type)", size: count, "\(target).\(type) has \(count) functions, not \(most)")
        }
        if let folders = rules.folders[path] { checkFolders(of: path, files, folders) }
        checkCircles(of: target, at: path, files)
    }

    /// Complains of circles of files that are too large, with their arrows.
    private mutating func checkCircles(of target: String, at path: String, _ files: [SourceFile]) {
        let (graph, most) = (FileGraph(files), limit(Rules.circleFiles))
        for circle in graph.circles() where circle.count > most {
            let arrows = circle.flatMap { file in
                graph.arrows[file, default: [:]].filter { circle.contains($0.key) }.sorted { $0.key < $1.key }.map {
                    "    \(file.dropFirst(path.count + 1)) -> \($0.key.dropFirst(path.count + 1)) (\($0.value))"
                }
            }
            let message = "\(target) has a circle of \(circle.count) files, not \(most):"
            complain("circle", target, size: circle.count, ([message] + arrows).joined(separator: "\n"))
        }
    }

    /// Complains of types to which extensions add too many members, in whatever targets these stand.
    mutating func checkExtensions(_ files: [SourceFile]) {
        let most = limit(Rules.extensionMembers)
        let counts = files.reduce(into: [:]) { $0.merge($1.extensionMembers, uniquingKeysWith: +) }
        for (type, count) in counts.sorted(by: { $0.key < $1.key }) where count > most {
            complain(
                "extensions", type, size: count, "extensions add \(count) members to \(type), not \(most)")
        }
    }

    private static func folder(of file: SourceFile, below path: String) -> String {
        let parts = file.path.dropFirst(path.count + 1).split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : "."
    }

    private mutating func checkFolders(of path: String, _ files: [SourceFile], _ rules: [String: Set<String>]) {
        let filesByFolder = Dictionary(grouping: files) { Self.folder(of: $0, below: path) }
        var homes: [String: Set<String>] = [:]
        for (folder, files) in filesByFolder {
            for type in files.flatMap(\.topLevelTypes) { homes[type, default: []].insert(folder) }
        }
        for (name, files) in filesByFolder.sorted(by: { $0.key < $1.key }) {
            guard let allowed = rules[name] else {
                complaints.append("the folder \(path)/\(name) is not in the table of who may use whom")
                continue
            }
            var uses: [String: [String]] = [:]
            for file in files {
                for type in file.names {
                    guard let home = homes[type], home.count == 1, let other = home.first, other != name else {
                        continue
                    }
                    uses[other, default: []].append("\(file.path) names \(type)")
                }
            }
            for (other, places) in uses.sorted(by: { $0.key < $1.key }) where !allowed.contains(other) {
                let place = places.min() ?? ""
                complain("folder", "\(path)/\(name) \(other)", "\(path)/\(name) may not use \(other): \(place)")
            }
        }
        for name in rules.keys.sorted() where filesByFolder[name] == nil {
            complaints.append("there is no folder \(path)/\(name): its row in the table is out of date")
        }
    }

    /// Complains about rows in the wrong order, and about rows and exceptions that nothing needs any more.
    mutating func checkRules() {
        complaints += rules.disorder
        for target in rules.imports.keys.sorted() where !usedRows.contains(target) {
            complaints.append("there is no target \(target): its row in the table is out of date")
        }
        for exception in Set(rules.exceptions.keys).subtracting(used).map({ "\($0.kind) \($0.subject)" }).sorted() {
            complaints.append("the exception \"\(exception)\" is not needed any more")
        }
    }
}

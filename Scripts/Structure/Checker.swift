/// Compares source files with the rules.
struct Checker {
    let rules: Rules
    private(set) var complaints: [String] = []
    private var used: Set<Rules.Exception> = []
    /// The rows of `imports` that have files.
    private var usedRows: Set<String> = ["*"]

    init(_ rules: Rules) { self.rules = rules }

    private func limit(_ name: String) -> Int { rules.limits[name] ?? 0 }

    /// Adds a complaint, unless an exception allows the subject and its size.
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
            complaints.append("the target \(target) has no row in [targets]")
            return
        }
        usedRows.insert(target)
        let always = rules.imports["*"] ?? []
        for file in files {
            // A folder may have its own row, such as DatabaseHTTP/Streams.
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

    /// Complains about cycles of files that are too large, and lists their dependencies.
    private mutating func checkCircles(of target: String, at path: String, _ files: [SourceFile]) {
        let (graph, most) = (FileGraph(files), limit(Rules.circleFiles))
        for circle in graph.circles() where circle.count > most {
            let arrows = circle.flatMap { file in
                graph.arrows[file, default: [:]].filter { circle.contains($0.key) }.sorted { $0.key < $1.key }.map {
                    "    \(file.dropFirst(path.count + 1)) -> \($0.key.dropFirst(path.count + 1)) (\($0.value))"
                }
            }
            let message = "\(target) has a cycle of \(circle.count) files, not \(most):"
            complain("circle", target, size: circle.count, ([message] + arrows).joined(separator: "\n"))
        }
    }

    /// Complains about types to which extensions in all targets add too many members.
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
                complaints.append("the folder \(path)/\(name) has no row in [folders]")
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
            complaints.append("the folder \(path)/\(name) does not exist: its row in the table is out of date")
        }
    }

    /// Complains about rows in the wrong order, and about unused rows and exceptions.
    mutating func checkRules() {
        complaints += rules.disorder
        for target in rules.imports.keys.sorted() where !usedRows.contains(target) {
            complaints.append("the target \(target) does not exist: its row in the table is out of date")
        }
        for exception in Set(rules.exceptions.keys).subtracting(used).map({ "\($0.kind) \($0.subject)" }).sorted() {
            complaints.append("the exception \"\(exception)\" is no longer needed")
        }
    }
}

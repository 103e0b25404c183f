#!/usr/bin/env swift
// Draws the dependencies between the targets of the manifest, as a Mermaid graph, between the two marks in
// Documentation/Architecture.md. With --check it changes nothing, and fails when the picture differs from the manifest.
//
// Arrows that follow from longer paths are left out, as are other packages and tests.

import Foundation

struct Target: Decodable {
    /// Decoded from {"byName": ["Tree", null]} or {"product": ["NIOCore", "swift-nio", …]}.
    struct Dependency: Decodable {
        let name: String?

        init(from decoder: any Decoder) throws {
            let kinds = try decoder.singleValueContainer().decode([String: [Detail?]].self)
            name = (kinds["byName"] ?? kinds["target"])?.first??.text
        }
    }

    struct Detail: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    let name: String
    let type: String
    let path: String?
    let dependencies: [Dependency]

    var isDrawn: Bool { type != "test" && path?.hasPrefix("Tests/") != true }
}

struct Manifest: Decodable {
    let targets: [Target]
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("dependency-picture: \(message)\n".utf8))
    exit(1)
}

func output(of arguments: [String], in folder: URL) throws -> Data {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { fail("\(arguments.joined(separator: " ")) failed") }
    return data
}

func picture(of manifest: Manifest) -> String {
    let targets = manifest.targets.filter(\.isDrawn)
    let names = Set(targets.map(\.name))
    let direct = Dictionary(
        uniqueKeysWithValues: targets.map { ($0.name, $0.dependencies.compactMap(\.name).filter(names.contains)) })
    func reaches(_ from: String, _ to: String) -> Bool {
        direct[from, default: []].contains { $0 == to || reaches($0, to) }
    }
    var lines = ["```mermaid", "graph TD"]
    for target in targets.reversed() {
        let needed = direct[target.name, default: []]
        for name in needed where !needed.contains(where: { $0 != name && reaches($0, name) }) {
            lines.append("    \(target.name) --> \(name)")
        }
    }
    return (lines + ["```"]).joined(separator: "\n")
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || arguments == ["--check"] else { fail("usage: Scripts/dependency-picture.swift [--check]") }
let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
let page = root.appending(path: "Documentation/Architecture.md")
let marks = (begin: "<!-- targets: begin -->\n", end: "\n<!-- targets: end -->")

let dump = try output(of: ["swift", "package", "dump-package"], in: root)
let drawn = picture(of: try JSONDecoder().decode(Manifest.self, from: dump))
var text = try String(contentsOf: page, encoding: .utf8)
guard let begin = text.range(of: marks.begin), let end = text.range(of: marks.end),
    begin.upperBound <= end.lowerBound
else { fail("\(page.path) lacks the marks around the picture") }
if text[begin.upperBound..<end.lowerBound] != drawn {
    guard arguments.isEmpty else {
        fail("the picture in Documentation/Architecture.md is out of date; run Scripts/dependency-picture.swift")
    }
    text.replaceSubrange(begin.upperBound..<end.lowerBound, with: drawn)
    try text.write(to: page, atomically: true, encoding: .utf8)
}

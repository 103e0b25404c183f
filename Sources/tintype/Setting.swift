import Foundation
import Imaging
import Pipeline
import Server
import Tree

/// One thing that an operator may choose: its name on the command line, in the environment and in the file.
struct Setting<Value: Sendable>: Sendable {
    /// As in `--name`, `TINTYPE_NAME` (upper case, `_` for `-`) and `"name"` in the file.
    let name: String
    let help: String
    /// What holds when nobody says anything; empty for nothing.
    let defaultText: String
    /// What a value looks like, for the sentence "… is not …".
    let expectation: String
    let parse: @Sendable (String) -> Value?
}

extension Setting {
    /// Forgets the type, for lists.
    fileprivate var erased: AnySetting {
        AnySetting(name: name, help: help, defaultText: defaultText) { _ = try $0.value(self) }
    }
}

/// A setting as it stands in a list.
struct AnySetting: Sendable {
    let name: String
    let help: String
    let defaultText: String
    /// Throws `ConfigurationError` when what was chosen cannot be understood.
    let check: @Sendable (Configuration) throws -> Void
}

/// Everything that an operator may choose.
enum Settings {
    /// In the order in which `tintype config` prints them.
    static let all: [AnySetting] = [
        storage.erased, engine.erased, listen.erased, emulator.erased, databaseSecret.erased, namespace.erased,
        changeLogCount.erased, changeLogAge.erased, streamKeepAlive.erased, workers.erased, render.erased,
        recipes.erased,
        maxBytes.erased, maxPixels.erased, maxSide.erased, maxFramePixels.erased, tolerant.erased, createPeople.erased,
        draftLifetime.erased, gracePeriod.erased, inboxQuiet.erased, duplicates.erased, freeSpace.erased,
    ]

    static let storage = Setting(
        name: "storage", help: "The folder that holds everything.", defaultText: "Storage", expectation: "a folder",
        parse: { $0.isEmpty ? nil : $0 })
    static let engine = Setting(
        name: "engine", help: "What keeps the tree: sqlite, or memory, which forgets it when the service ends.",
        defaultText: Storage.Engine.sqlite.rawValue, expectation: "sqlite or memory",
        parse: { Storage.Engine(rawValue: $0) })
    static let listen = Setting<LoopbackAddress?>(
        name: "listen", help: "Serve HTTP on this loopback address as well.", defaultText: "",
        expectation: "a loopback address and port such as 127.0.0.1:8080",
        parse: { $0.isEmpty ? .some(nil) : (try? LoopbackAddress($0)).map(Optional.some) })
    static let emulator = Setting(
        name: "emulator", help: "Whether all on this machine may use the database over TCP, web pages too.",
        defaultText: "false", expectation: "true or false", parse: { Bool($0) })
    static let databaseSecret = Setting(
        name: "database-secret", help: "A file whose content opens the database over TCP.", defaultText: "",
        expectation: "a file", parse: { .some($0) })
    static let namespace = Setting(
        name: "namespace", help: "The name by which clients may call the service's own tree (ns=NAME).",
        defaultText: DatabaseSettings().namespace, expectation: "a name of a–z, 0–9, - and _",
        parse: { DatabaseSettings.isName($0) ? $0 : nil })
    static let changeLogCount = count(
        "change-log-count", "How many changes can be asked for afterwards, at least.", ChangeRetention().count)
    static let changeLogAge = duration("change-log-age", "How long a change can be asked for, at most.", "30d")
    static let streamKeepAlive = duration(
        "stream-keep-alive", "How often a stream of events shows that it is alive.", "30s", atLeast: 1)
    static let workers = Setting(
        name: "workers", help: "How many photos are rendered at a time.",
        defaultText: "\(ProcessInfo.processInfo.activeProcessorCount)", expectation: "a number from 1 to 64",
        parse: { Int($0).flatMap { (1...64).contains($0) ? $0 : nil } })
    static let render = Setting(
        name: "render", help: "Where photos are decoded: isolated, in processes that can harm nobody, or in-process.",
        defaultText: RenderPlace.isolated.rawValue, expectation: "isolated or in-process",
        parse: { RenderPlace(rawValue: $0) })
    static let recipes = Setting(
        name: "recipes", help: "The renditions of every photo, separated by spaces.",
        defaultText: Recipe.defaults.map(\.description).joined(separator: " "),
        expectation: "a list of recipes such as \"full=1280,q90 tile=160,cover\", each with a name of its own",
        parse: parseRecipes)
    static let maxBytes = count("max-bytes", "The largest photo that is taken, in bytes.", ImageLimits().maxInputBytes)
    static let maxPixels = count("max-pixels", "The most pixels that a photo may have.", ImageLimits().maxPixels)
    static let maxSide = count("max-side", "The longest side that a photo may have, in pixels.", ImageLimits().maxSide)
    static let maxFramePixels = count(
        "max-frame-pixels",
        "The most pixels that all frames of an animation, or all tiles of a HEIC, may have together.",
        ImageLimits().maxFramePixels)
    static let tolerant = Setting(
        name: "tolerant", help: "Whether a photo whose data ends too early is posted all the same, with a warning.",
        defaultText: "false", expectation: "true or false", parse: { Bool($0) })
    static let createPeople = Setting(
        name: "create-people", help: "Whether an unknown user's first post creates the person.", defaultText: "true",
        expectation: "true or false", parse: { Bool($0) })
    static let draftLifetime = duration(
        "draft-lifetime", "How long an unfinished upload may be left alone.", "24h")
    static let gracePeriod = duration(
        "grace-period", "How long a replaced rendition stays for readers that saw its address.", "48h")
    static let inboxQuiet = duration(
        "inbox-quiet", "How long an inbox file must be unchanged if nothing told that it was closed.", "5s")

    static let duplicates = Setting(
        name: "duplicates",
        help: "What becomes of dropped files that were posted before: link, new-post or reject (USER=… for one user).",
        defaultText: DuplicatePolicy.link.rawValue,
        expectation: "link, new-post or reject, with USER=POLICY for whoever differs: \"link maria=new-post\"",
        parse: { DuplicatePolicies(parsing: $0) })

    static let freeSpace = Setting(
        name: "free-space",
        help:
            "How much of the disk has to be free for uploads to be taken; of two with a comma, the lesser. 0: nothing.",
        defaultText: "2GiB,5%", expectation: "an amount such as 2GiB, 500MiB, 5% or 2GiB,5%",
        parse: { FreeSpaceReserve($0) })

    private static func count(_ name: String, _ help: String, _ defaultValue: Int) -> Setting<Int> {
        Setting(
            name: name, help: help, defaultText: "\(defaultValue)", expectation: "a whole number of at least 1",
            parse: { Int($0).flatMap { $0 >= 1 ? $0 : nil } })
    }

    private static func duration(
        _ name: String, _ help: String, _ defaultText: String, atLeast seconds: Int = 0
    ) -> Setting<Duration> {
        Setting(
            name: name, help: help, defaultText: defaultText,
            expectation: "a time such as 30s, 15m, 24h or 7d" + (seconds > 0 ? ", at least \(seconds)s" : ""),
            parse: { parseDuration($0).flatMap { $0 >= .seconds(seconds) ? $0 : nil } })
    }

    private static func parseDuration(_ text: String) -> Duration? {
        let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int(text.dropLast()),
            (0...100_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }

    private static func parseRecipes(_ text: String) -> [Recipe]? {
        let recipes = text.split(separator: " ").map { try? Recipe(parsing: String($0)) }
        let valid = recipes.compactMap { $0 }
        let names = Set(valid.map(\.name))
        // Files called original are the senders' own bytes.
        guard !valid.contains(where: { $0.name.hasPrefix("original") }) else { return nil }
        return valid.count == recipes.count && names.count == valid.count && !valid.isEmpty ? valid : nil
    }
}

import Foundation
import Imaging
import Logging
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
    /// Nil when the text is no such value; what it throws says what is wrong with it in more words.
    let parse: @Sendable (String) throws -> Value?
    /// Whether a running service can take over another value.
    var isLive = false
}

extension Setting {
    /// Forgets the type, for lists.
    fileprivate var erased: AnySetting {
        AnySetting(name: name, help: help, defaultText: defaultText, isLive: isLive) { _ = try $0.value(self) }
    }
}

/// A setting as it stands in a list.
struct AnySetting: Sendable {
    let name: String
    let help: String
    let defaultText: String
    /// Whether a running service can take over another value.
    let isLive: Bool
    /// Throws `ConfigurationError` when what was chosen cannot be understood.
    let check: @Sendable (Configuration) throws -> Void
}

/// Everything that an operator may choose.
enum Settings {
    /// In the order in which `tintype config` prints them.
    static let all: [AnySetting] = [
        storage.erased, engine.erased, listen.erased, publicURL.erased, emulator.erased, databaseSecret.erased,
        allowedOrigins.erased,
        namespace.erased,
        changeLogCount.erased, changeLogAge.erased, streamKeepAlive.erased, workers.erased, render.erased,
        recipes.erased,
        maxBytes.erased, maxPixels.erased, maxLosslessPixels.erased, maxSide.erased, maxFramePixels.erased,
        maxScans.erased, maxScanPixels.erased, maxMemory.erased, tolerant.erased, createPeople.erased,
        draftLifetime.erased, gracePeriod.erased, doneLifetime.erased, failedLifetime.erased, refusedLifetime.erased,
        inboxQuiet.erased, duplicates.erased, freeSpace.erased,
        logLevel.erased, logFormat.erased,
    ]

    static let storage = Setting(
        name: "storage", help: "The folder that holds everything.", defaultText: "Storage", expectation: "a folder",
        parse: { $0.isEmpty ? nil : $0 })
    static let engine = Setting(
        name: "engine", help: "What keeps the tree: sqlite, or memory, which forgets it when the service ends.",
        defaultText: StorageFolder.TreeEngine.sqlite.rawValue, expectation: "sqlite or memory",
        parse: { StorageFolder.TreeEngine(rawValue: $0) })
    static let listen = Setting<LoopbackAddress?>(
        name: "listen", help: "Serve HTTP on this loopback address as well.", defaultText: "",
        expectation: "a loopback address and port such as 127.0.0.1:8080",
        parse: { $0.isEmpty ? .some(nil) : (try? LoopbackAddress($0)).map(Optional.some) })
    static let publicURL = Setting<PublicURL?>(
        name: "public-url", help: "The address by which a proxy in front makes the service known.", defaultText: "",
        expectation: "an address without a path, such as https://photos.example.org",
        parse: { $0.isEmpty ? .some(nil) : PublicURL($0).map(Optional.some) })
    static let emulator = Setting(
        name: "emulator", help: "Whether all on this machine may use the database over TCP, web pages too.",
        defaultText: "false", expectation: "true or false", parse: { Bool($0) })
    static let databaseSecret = Setting(
        name: "database-secret", help: "A file whose content opens the database over TCP.", defaultText: "",
        expectation: "a file", parse: { .some($0) })
    static let allowedOrigins = Setting(
        name: "allowed-origins", help: "Web pages of these origins may use the service over TCP, beside its own.",
        defaultText: "",
        expectation: "a list of origins such as \"https://photos.example http://localhost:3000\", or *",
        parse: { AllowedOrigins(parsing: $0) })
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
        parse: parseRecipes, isLive: true)
    static let maxBytes = count("max-bytes", "The largest photo that is taken, in bytes.", ImageLimits().maxInputBytes)
    static let maxPixels = count("max-pixels", "The most pixels that a photo may have.", ImageLimits().maxPixels)
    static let maxLosslessPixels = count(
        "max-lossless-pixels", "The most pixels that a PNG or a GIF may have.", ImageLimits().maxLosslessPixels)
    static let maxSide = count("max-side", "The longest side that a photo may have, in pixels.", ImageLimits().maxSide)
    static let maxFramePixels = count(
        "max-frame-pixels",
        "The most pixels that all frames of an animation may have together.",
        ImageLimits().maxFramePixels)
    static let maxScans = count("max-scans", "The most scans that a JPEG may have.", ImageLimits().maxScans)
    static let maxScanPixels = count(
        "max-scan-pixels", "The most pixels that all scans of a JPEG may have together.", ImageLimits().maxScanPixels)
    static let maxMemory = count(
        "max-memory", "The most memory, in bytes, for what of a photo cannot be decoded row by row.",
        ImageLimits().maxWorkingBytes)
    static let tolerant = Setting(
        name: "tolerant", help: "Whether a photo whose data ends too early is posted all the same, with a warning.",
        defaultText: "false", expectation: "true or false", parse: { Bool($0) }, isLive: true)
    static let createPeople = Setting(
        name: "create-people", help: "Whether an unknown user's first post creates the person.", defaultText: "true",
        expectation: "true or false", parse: { Bool($0) }, isLive: true)
    static let draftLifetime = duration(
        "draft-lifetime", "How long an unfinished upload may be left alone.", "24h", isLive: true)
    static let gracePeriod = duration(
        "grace-period", "How long replaced renditions and the files of deleted posts stay.", "48h", isLive: true)
    static let doneLifetime = lifetime(
        "done-lifetime", "How long dropped files stay in done/ once a post has all their bytes.", "30d")
    static let failedLifetime = lifetime(
        "failed-lifetime", "How long dropped files that can be no post stay in failed/.", "forever")
    static let refusedLifetime = lifetime(
        "refused-lifetime", "How long uploads by HTTP that were refused stay in failed/.", "30d")
    static let inboxQuiet = duration(
        "inbox-quiet", "How long an inbox file must be unchanged if nothing told that it was closed.", "5s")

    static let duplicates = Setting(
        name: "duplicates",
        help: "What becomes of dropped files that were posted before: link, new-post or reject (USER=… for one user).",
        defaultText: DuplicatePolicy.link.rawValue,
        expectation: "link, new-post or reject, with USER=POLICY for whoever differs: \"link maria=new-post\"",
        parse: { DuplicatePolicies(parsing: $0) }, isLive: true)

    static let freeSpace = Setting(
        name: "free-space",
        help:
            "How much of the disk has to be free for uploads to be taken; of two with a comma, the lesser. 0: nothing.",
        defaultText: "2GiB,5%", expectation: "an amount such as 2GiB, 500MiB, 5% or 2GiB,5%",
        parse: { FreeSpaceReserve($0) }, isLive: true)

    static let logLevel = Setting(
        name: "log-level", help: "How much to log: trace, debug, info, notice, warning or error.", defaultText: "info",
        expectation: "trace, debug, info, notice, warning or error", parse: { Logger.Level(rawValue: $0) })

    static let logFormat = Setting(
        name: "log-format", help: "How to log: text for people, json for programs.",
        defaultText: LogFormat.text.rawValue, expectation: "text or json", parse: { LogFormat(rawValue: $0) })

    private static func count(_ name: String, _ help: String, _ defaultValue: Int) -> Setting<Int> {
        Setting(
            name: name, help: help, defaultText: "\(defaultValue)", expectation: "a whole number of at least 1",
            parse: { Int($0).flatMap { $0 >= 1 ? $0 : nil } })
    }

    private static func duration(
        _ name: String, _ help: String, _ defaultText: String, atLeast seconds: Int = 0, isLive: Bool = false
    ) -> Setting<Duration> {
        Setting(
            name: name, help: help, defaultText: defaultText,
            expectation: "a time such as 30s, 15m, 24h or 7d" + (seconds > 0 ? ", at least \(seconds)s" : ""),
            parse: { parseDuration($0).flatMap { $0 >= .seconds(seconds) ? $0 : nil } }, isLive: isLive)
    }

    /// A time after which something goes; nil for never.
    private static func lifetime(_ name: String, _ help: String, _ defaultText: String) -> Setting<Duration?> {
        Setting(
            name: name, help: help, defaultText: defaultText, expectation: "a time such as 24h or 30d, or forever",
            parse: { $0 == "forever" ? .some(nil) : parseDuration($0).map(Optional.some) }, isLive: true)
    }

    private static func parseDuration(_ text: String) -> Duration? {
        let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int(text.dropLast()),
            (0...100_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }

    /// - Throws: `ConfigurationError` about the recipe that is at fault.
    private static func parseRecipes(_ text: String) throws -> [Recipe]? {
        let recipes = try text.split(separator: " ").map { word in
            do {
                return try Recipe(parsing: String(word))
            } catch {
                throw ConfigurationError("\(error)")
            }
        }
        if let name = Dictionary(grouping: recipes, by: \.name).first(where: { $0.value.count > 1 })?.key {
            throw ConfigurationError("two recipes have one name, \(name)")
        }
        // Files called original are the senders' own bytes.
        if let recipe = recipes.first(where: { $0.name.hasPrefix("original") }) {
            throw ConfigurationError(
                "no recipe may be called \(recipe.name): names that begin so are the senders' photos")
        }
        return recipes.isEmpty ? nil : recipes
    }
}

import ArgumentParser
import Foundation
import Imaging
import Inbox
import Pipeline
import Server
import Tree

/// Where the service's folder is: every command has it.
struct StorageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder that holds everything (default: Storage).", valueName: "dir"))
    var storage: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file with settings (default: tintype.json in the storage folder).", valueName: "file"))
    var config: String?

    var flags: [String: String] { storage.map { ["storage": $0] } ?? [:] }

    func configuration(_ more: [String: String] = [:]) throws -> Configuration {
        try Configuration(flags: flags.merging(more) { $1 }, file: config)
    }
}

/// Flags that stand for settings; `tintype config` prints what each comes to.
struct SettingOptions: ParsableArguments {
    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp(Settings.engine.help, valueName: "engine"))
    var engine: String?

    @Option(help: ArgumentHelp(Settings.listen.help, valueName: "host:port"))
    var listen: String?

    @Option(name: .customLong("public-url"), help: ArgumentHelp(Settings.publicURL.help, valueName: "url"))
    var publicURL: String?

    @Flag(help: ArgumentHelp(Settings.emulator.help))
    var emulator = false

    @Option(help: ArgumentHelp(Settings.databaseSecret.help, valueName: "file"))
    var databaseSecret: String?

    @Option(help: ArgumentHelp(Settings.allowedOrigins.help, valueName: "origins"))
    var allowedOrigins: String?

    @Option(help: ArgumentHelp(Settings.namespace.help, valueName: "name"))
    var namespace: String?

    @Option(help: ArgumentHelp(Settings.changeLogCount.help, valueName: "n"))
    var changeLogCount: String?

    @Option(help: ArgumentHelp(Settings.changeLogAge.help, valueName: "time"))
    var changeLogAge: String?

    @Option(help: ArgumentHelp(Settings.streamKeepAlive.help, valueName: "time"))
    var streamKeepAlive: String?

    @Option(help: ArgumentHelp(Settings.workers.help, valueName: "n"))
    var workers: String?

    @Option(help: ArgumentHelp(Settings.render.help, valueName: "place"))
    var render: String?

    @Option(
        help: ArgumentHelp(
            "A rendition of every photo, such as thumb=640,q70 (repeat; replaces all defaults).", valueName: "recipe"))
    var recipe: [String] = []

    @Option(help: ArgumentHelp(Settings.maxBytes.help, valueName: "bytes"))
    var maxBytes: String?

    @Option(help: ArgumentHelp(Settings.maxPixels.help, valueName: "pixels"))
    var maxPixels: String?

    @Option(help: ArgumentHelp(Settings.maxLosslessPixels.help, valueName: "pixels"))
    var maxLosslessPixels: String?

    @Option(help: ArgumentHelp(Settings.maxSide.help, valueName: "pixels"))
    var maxSide: String?

    @Option(help: ArgumentHelp(Settings.maxFramePixels.help, valueName: "pixels"))
    var maxFramePixels: String?

    @Option(help: ArgumentHelp(Settings.maxScans.help, valueName: "n"))
    var maxScans: String?

    @Option(help: ArgumentHelp(Settings.maxScanPixels.help, valueName: "pixels"))
    var maxScanPixels: String?

    @Option(help: ArgumentHelp(Settings.maxMemory.help, valueName: "bytes"))
    var maxMemory: String?

    @Flag(help: ArgumentHelp(Settings.tolerant.help))
    var tolerant = false

    @Option(help: ArgumentHelp(Settings.createPeople.help, valueName: "true|false"))
    var createPeople: String?

    @Option(help: ArgumentHelp(Settings.draftLifetime.help, valueName: "time"))
    var draftLifetime: String?

    @Option(help: ArgumentHelp(Settings.gracePeriod.help, valueName: "time"))
    var gracePeriod: String?

    @Option(help: ArgumentHelp(Settings.doneLifetime.help, valueName: "time"))
    var doneLifetime: String?

    @Option(help: ArgumentHelp(Settings.failedLifetime.help, valueName: "time"))
    var failedLifetime: String?

    @Option(help: ArgumentHelp(Settings.refusedLifetime.help, valueName: "time"))
    var refusedLifetime: String?

    @Option(help: ArgumentHelp(Settings.freeSpace.help, valueName: "amount"))
    var freeSpace: String?

    @Option(help: ArgumentHelp(Settings.inboxQuiet.help, valueName: "time"))
    var inboxQuiet: String?

    @Option(help: ArgumentHelp(Settings.duplicates.help, valueName: "policy"))
    var duplicates: String?

    @Option(help: ArgumentHelp(Settings.logLevel.help, valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp(Settings.logFormat.help, valueName: "format"))
    var logFormat: String?

    /// The flags that were given, as they are written.
    var given: [String] { flags.keys.map { $0 == Settings.recipes.name ? "--recipe" : "--\($0)" } }

    func configuration() throws -> Configuration { try storage.configuration(flags) }

    private var flags: [String: String] {
        let flags: [String: String?] = [
            Settings.engine.name: engine, Settings.listen.name: listen, Settings.publicURL.name: publicURL,
            Settings.emulator.name: emulator ? "true" : nil, Settings.databaseSecret.name: databaseSecret,
            Settings.allowedOrigins.name: allowedOrigins, Settings.namespace.name: namespace,
            Settings.changeLogCount.name: changeLogCount,
            Settings.changeLogAge.name: changeLogAge, Settings.streamKeepAlive.name: streamKeepAlive,
            Settings.workers.name: workers, Settings.render.name: render,
            Settings.recipes.name: recipe.isEmpty ? nil : recipe.joined(separator: " "),
            Settings.maxBytes.name: maxBytes, Settings.maxPixels.name: maxPixels, Settings.maxSide.name: maxSide,
            Settings.maxLosslessPixels.name: maxLosslessPixels, Settings.maxFramePixels.name: maxFramePixels,
            Settings.maxScans.name: maxScans, Settings.maxScanPixels.name: maxScanPixels,
            Settings.maxMemory.name: maxMemory, Settings.tolerant.name: tolerant ? "true" : nil,
            Settings.createPeople.name: createPeople,
            Settings.draftLifetime.name: draftLifetime, Settings.gracePeriod.name: gracePeriod,
            Settings.doneLifetime.name: doneLifetime, Settings.failedLifetime.name: failedLifetime,
            Settings.refusedLifetime.name: refusedLifetime, Settings.freeSpace.name: freeSpace,
            Settings.inboxQuiet.name: inboxQuiet, Settings.duplicates.name: duplicates,
            Settings.logLevel.name: logLevel, Settings.logFormat.name: logFormat,
        ]
        return flags.compactMapValues { $0 }
    }
}

extension Configuration {
    /// What the pipeline is to know.
    func pipelineSettings() throws -> PipelineSettings {
        var settings = PipelineSettings(workers: try value(Settings.workers))
        settings.recipes = try value(Settings.recipes)
        settings.limits = try imageLimits()
        settings.createsPeople = try value(Settings.createPeople)
        settings.draftLifetime = try value(Settings.draftLifetime)
        settings.gracePeriod = try value(Settings.gracePeriod)
        settings.duplicates = try value(Settings.duplicates)
        settings.retention = Retention(
            done: try value(Settings.doneLifetime), failed: try value(Settings.failedLifetime),
            refused: try value(Settings.refusedLifetime))
        settings.freeSpaceReserve = try value(Settings.freeSpace)
        return settings
    }

    /// What a photo may cost.
    func imageLimits() throws -> ImageLimits {
        ImageLimits(
            maxInputBytes: try value(Settings.maxBytes), maxPixels: try value(Settings.maxPixels),
            maxLosslessPixels: try value(Settings.maxLosslessPixels), maxSide: try value(Settings.maxSide),
            maxFramePixels: try value(Settings.maxFramePixels), maxWorkingBytes: try value(Settings.maxMemory),
            maxScans: try value(Settings.maxScans), maxScanPixels: try value(Settings.maxScanPixels),
            acceptsTruncated: try value(Settings.tolerant))
    }

    /// How long changes can be asked for.
    func changeRetention() throws -> ChangeRetention {
        ChangeRetention(
            count: try value(Settings.changeLogCount), ageMilliseconds: try value(Settings.changeLogAge).milliseconds)
    }

    /// What the database is to know; `warn` is told what an operator should know about it.
    ///
    /// - Throws: `ConfigurationError` when the secret is none, or what is for TCP has no address to be of use at.
    func databaseSettings(warn: (String) -> Void) throws -> DatabaseSettings {
        var settings = DatabaseSettings()
        settings.namespace = try value(Settings.namespace)
        settings.isEmulator = try value(Settings.emulator)
        let path = try value(Settings.databaseSecret)
        if !path.isEmpty {
            let file = try SecretFile(path: path)
            settings.secret = Secret(file.text)
            if let warning = file.warning { warn(warning) }
        }
        if settings.isEmulator || settings.secret != nil, try value(Settings.listen) == nil {
            let name = settings.isEmulator ? Settings.emulator.name : Settings.databaseSecret.name
            throw ConfigurationError("\(name) is about TCP; say where to listen, such as --listen 127.0.0.1:9000")
        }
        settings.keepAliveMilliseconds = try value(Settings.streamKeepAlive).milliseconds
        return settings
    }

    /// What the inbox watcher is to know.
    func inboxSettings() throws -> InboxWatcher.Settings {
        var settings = InboxWatcher.Settings()
        settings.quietTime = try value(Settings.inboxQuiet)
        return settings
    }
}

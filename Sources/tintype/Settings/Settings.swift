import Access
import Database
import Files
import Foundation
import Imaging
import Inbox
import Logging
import Requests
import Service
import Store
import Transport
import Tree
import Uploads

/// The settings of the service. A new setting is declared only here.
enum Settings {
    /// The settings, in the order in which `tintype config`, `--help` and the documents list them.
    static let all: [any Setting] =
        storage + site + database + accounts + notifications + moderation + issuers + clients + changes + rendering
        + limits + posts + lifetimes + keeping + retention + inbox + log

    private static let storage: [any Setting] = [
        StoredSetting(
            name: "storage", target: \ServiceSettings.storage, defaultText: "Storage",
            help: "The folder of the whole store.", flag: .value("dir"), expectation: "a folder",
            parse: { $0.isEmpty ? nil : $0 }),
        StoredSetting(
            name: "engine", target: \ServiceSettings.engine, defaultText: StorageFolder.TreeEngine.sqlite.rawValue,
            help: "The storage engine of the tree: sqlite, or memory, which loses the tree when the service ends.",
            flag: .value("engine"), expectation: "sqlite or memory", parse: { StorageFolder.TreeEngine(rawValue: $0) }),
        StoredSetting(
            name: "listen", target: \HTTPServer.Settings.listen, defaultText: "",
            help: "An address and port on which HTTP is served, in addition to the socket.",
            details: "Such as `127.0.0.1:8080`; one that other machines can reach, such as `*:443`, needs "
                + "`tls-certificate` or `behind-proxy` ([how](Security.md#on-a-network)).",
            flag: .value("host:port"), expectation: "an address and port such as 127.0.0.1:8080 or *:443",
            parse: { $0.isEmpty ? .some(nil) : (try? ListenAddress($0)).map(Optional.some) }),
        StoredSetting(
            name: "socket-users", target: \ServiceSettings.socketUsers, defaultText: "",
            help: "System users and groups that may use the socket, and the users they may act for.",
            details:
                "Such as `www-data=any,@photographers=any,kiosk=maria`. The service's own user and group, and root, act "
                + "for any user.",
            flag: .value("users"), expectation: "a list such as \"www-data=any,@photographers=any,kiosk=maria\"",
            parse: { $0 }),
        StoredSetting(
            name: "tls-certificate", target: \ServiceSettings.tlsCertificate, defaultText: "",
            help: "A file with the TLS certificate for the setting listen, and its chain.",
            details: "In PEM. It is read again when it changes.", flag: .value("file"), expectation: "a file",
            parse: { $0 }),
        StoredSetting(
            name: "tls-key", target: \ServiceSettings.tlsKey, defaultText: "",
            help: "A file with the private key of tls-certificate.", details: "In PEM.", flag: .value("file"),
            expectation: "a file", parse: { $0 }),
        StoredSetting(
            name: "behind-proxy", target: \HTTPServer.Settings.proxies, defaultText: "",
            help: "Addresses of trusted proxies, which terminate TLS and report the client's address.",
            details:
                "Such as `10.0.0.5` or `10.0.0.0/8`. The header field that `proxy-field` names is trusted from these "
                + "addresses only.",
            flag: .value("addresses"),
            expectation: "a list of addresses, or of networks of one owner, such as \"127.0.0.1 10.0.0.0/8\"",
            parse: { $0.isEmpty ? .some(nil) : TrustedProxies(parsing: $0).map(Optional.some) }),
        StoredSetting(
            name: "proxy-field", target: \ServiceSettings.proxyField, defaultText: "X-Forwarded-For",
            help: "The header field in which the proxies of behind-proxy report the client's address.",
            details:
                "`Forwarded` is read in the form of RFC 7239, other fields as a list of addresses. The proxy must write "
                + "this field itself, and must not pass on a client's field.",
            flag: .value("name"), expectation: "the name of a field, such as X-Forwarded-For or Forwarded",
            parse: { TrustedProxies.Announcement(field: $0) }),
        StoredSetting(
            name: "proxy-header", target: \ServiceSettings.readsProxyHeader, defaultText: "false",
            help: "Whether the proxies of behind-proxy report the client's address in a PROXY header at the start of "
                + "each connection, instead of a header field.",
            flag: .bare, expectation: "true or false", parse: { Bool($0) }),
        StoredSetting(
            name: "public-url", target: \HTTPServer.Settings.publicURL, defaultText: "",
            help: "The address at which clients reach the service, such as that of a proxy.",
            details: "Requests to that host are answered over TCP, and its pages may upload "
                + "([how](Operations.md#a-proxy)). Posts link to their photos there, so that apps can load them anywhere "
                + "([how](Storage.md#addresses)).",
            flag: .value("url"), expectation: "an address without a path, such as https://photos.example.org",
            parse: { $0.isEmpty ? .some(nil) : PublicURL($0).map(Optional.some) }),
    ]

    private static let database: [any Setting] = [
        StoredSetting(
            name: "emulator", target: \DatabaseSettings.isEmulator, defaultText: "false",
            help: "Whether every client on this machine may use the database over TCP, including web pages.",
            details: "For development only.", flag: .bare, expectation: "true or false", parse: { Bool($0) }),
        StoredSetting(
            name: "database-secret", target: \ServiceSettings.databaseSecretFile, defaultText: "",
            help: "A file with a secret: clients that send it over TCP have full access to the database.",
            flag: .value("file"), expectation: "a file",
            parse: { $0 }),
        StoredSetting(
            name: "allowed-origins", target: \HTTPServer.Settings.allowedOrigins, defaultText: "",
            help: "Origins whose web pages may use the service over TCP, in addition to its own pages.",
            details: "Such as `https://photos.example`; `*` allows all origins ([what it means](HTTP.md#on-tcp)).",
            flag: .value("origins"),
            expectation: "a list of origins such as \"https://photos.example http://localhost:3000\", or *",
            parse: { AllowedOrigins(parsing: $0) }),
        StoredSetting(
            name: "namespace", target: \DatabaseSettings.namespace, defaultText: DatabaseSettings().namespace,
            help: "The name by which clients address the service's own tree (ns=NAME).", flag: .value("name"),
            expectation: "a name of a–z, 0–9, - and _", parse: { DatabaseSettings.isName($0) ? $0 : nil }),
    ]

    private static let changes: [any Setting] = [
        count(
            "change-log-count", \.count, of: ChangeRetention(), flag: "n",
            help: "The number of changes that the change log keeps; up to an eighth more may remain."),
        StoredSetting(
            name: "change-log-age", target: \ChangeRetention.ageMilliseconds, defaultText: "30d",
            help: "The age at which the change log may drop a change.", flag: .value("time"),
            expectation: SettingParsers.durationExpectation,
            parse: { SettingParsers.duration($0)?.milliseconds }),
        count(
            "change-log-bytes", \.byteCount, of: ChangeRetention(), flag: "bytes",
            help: "The largest size of the change log, in bytes."),
        StoredSetting(
            name: "stream-keep-alive", target: \DatabaseSettings.keepAliveMilliseconds, defaultText: "30s",
            help: "The interval at which an event stream sends a keep-alive event.", flag: .value("time"),
            expectation: SettingParsers.durationExpectation + ", at least 1s",
            parse: { SettingParsers.duration($0).flatMap { $0 >= .seconds(1) ? $0.milliseconds : nil } }),
    ]

    private static let rendering: [any Setting] = [
        StoredSetting(
            name: "workers", target: \PipelineSettings.workers,
            defaultText: "\(ProcessInfo.processInfo.activeProcessorCount)",
            defaultDescription: "one for each processor",
            help: "The number of photos that are rendered at the same time.",
            flag: .value("n"), expectation: "a number from 1 to 64",
            parse: { Int($0).flatMap { (1...64).contains($0) ? $0 : nil } }),
        StoredSetting(
            name: "render", target: \ServiceSettings.renderMode, defaultText: RenderMode.isolated.rawValue,
            help: "The processes that decode photos: isolated (separate ones, which can only compute) or in-process "
                + "(the service itself).",
            details: "[Isolation.md](Isolation.md) gives the reasons.", flag: .value("mode"),
            expectation: "isolated or in-process", parse: { RenderMode(rawValue: $0) }),
        StoredSetting(
            name: "recipes", target: \PipelineSettings.recipes,
            defaultText: Recipe.defaults.map(\.description).joined(separator: " "),
            help: "The renditions of every photo, separated by spaces.",
            details: "A recipe is `NAME=SIZE[,inside|cover][,qN][,alpha][,background=#rrggbb]"
                + "[,progressive|webp[,animated]|png|avif][,subsampling=444|420][,blurred][,canvas=SIDE]`; `canvas` lays "
                + "a PNG on the middle of a square.",
            flag: .repeated(
                "recipe", value: "recipe",
                help: "A rendition of every photo, such as thumb=640,q70; may be repeated (replaces all defaults)."),
            expectation: "a list of recipes such as \"full=1280,q90 tile=160,cover\", each with a name of its own",
            isLive: true, parse: SettingParsers.recipes),
    ]

    private static let limits: [any Setting] = [
        count(
            "max-bytes", \.maxInputBytes, of: ImageLimits(), flag: "bytes",
            help: "The largest photo that is accepted, in bytes."),
        count(
            "max-pixels", \.maxPixels, of: ImageLimits(), flag: "pixels",
            help: "The largest number of pixels in a photo."),
        count(
            "max-lossless-pixels", \.maxLosslessPixels, of: ImageLimits(), flag: "pixels",
            help: "The largest number of pixels in a PNG or a GIF."),
        count(
            "max-side", \.maxSide, of: ImageLimits(), flag: "pixels", help: "The longest side of a photo, in pixels."),
        count(
            "max-frame-pixels", \.maxFramePixels, of: ImageLimits(), flag: "pixels",
            help: "The largest number of pixels in all frames of an animation."),
        count(
            "max-scans", \.maxScans, of: ImageLimits(), flag: "n", help: "The largest number of scans in a JPEG."),
        count(
            "max-scan-pixels", \.maxScanPixels, of: ImageLimits(), flag: "pixels",
            help: "The largest number of pixels in all scans of a JPEG."),
        count(
            "max-memory", \.maxWorkingBytes, of: ImageLimits(), flag: "bytes",
            help: "The largest memory for a photo that cannot be decoded row by row, in bytes."),
        StoredSetting(
            name: "tolerant", target: \ImageLimits.acceptsTruncated, defaultText: "false",
            help:
                "Whether a photo whose data ends too early is published, with a warning, however much is missing.",
            flag: .bare, expectation: "true or false", isLive: true, parse: { Bool($0) }),
    ]

    private static let posts: [any Setting] = [
        StoredSetting(
            name: "create-people", target: \PipelineSettings.createsPeople, defaultText: "true",
            help: "Whether the first post of an unknown user creates the person.", flag: .value("true|false"),
            expectation: "true or false", isLive: true, parse: { Bool($0) }),
        StoredSetting(
            name: "duplicates", target: \PipelineSettings.duplicates, defaultText: DuplicatePolicy.link.rawValue,
            help: "The treatment of dropped files that were posted before: link, new-post or reject (USER=… for one "
                + "user).",
            details: "`link` names the earlier post, `new-post` creates another, and `reject` moves the file to "
                + "`failed/`.",
            flag: .value("policy"),
            expectation: "link, new-post or reject, with USER=POLICY for other users: \"link maria=new-post\"",
            isLive: true, parse: { DuplicatePolicies(parsing: $0) }),
        StoredSetting(
            name: "free-space", target: \PipelineSettings.freeSpaceReserve, defaultText: "2GiB,5%",
            help: "The free space on the disk below which no uploads are accepted; of two amounts with a comma, the "
                + "smaller applies.",
            details: "`0` means no limit ([why](Durability.md#transient-faults)).", flag: .value("amount"),
            expectation: "an amount such as 2GiB, 500MiB, 5% or 2GiB,5%", isLive: true,
            parse: { FreeSpaceReserve($0) }),
    ]

    private static let lifetimes: [any Setting] = [
        duration(
            "draft-lifetime", \PipelineSettings.draftLifetime, default: "24h", isLive: true,
            help: "The time without progress after which an unfinished upload is deleted."),
        duration(
            "grace-period", \PipelineSettings.gracePeriod, default: "48h", isLive: true,
            help: "The time for which replaced renditions and the files of deleted posts are kept."),
        lifetime(
            "done-lifetime", \.done, default: "30d",
            help: "The time for which dropped files are kept in done/ after all their bytes are in a post."),
        lifetime(
            "failed-lifetime", \.failed, default: "forever",
            help: "The time for which dropped files that cannot be posted are kept in failed/.",
            details: "They may be the only copies."),
        lifetime(
            "refused-lifetime", \.refused, default: "30d",
            help: "The time for which rejected HTTP uploads are kept in failed/.",
            details: "Their senders were informed."),
    ]

    private static let keeping: [any Setting] = [
        interval(
            "check-interval", \.checkInterval, default: "24h",
            help: "The interval at which the service checks the store for damage."),
        interval(
            "verify-interval", \.verifyInterval, default: "30d",
            help: "The time within which the service reads each file once, and compares its checksum."),
        StoredSetting(
            name: "verify-rate", target: \PipelineSettings.verifyRate, defaultText: "10",
            help: "The speed of the reading for verify-interval, in megabytes per second.", flag: .value("MB/s"),
            expectation: "a whole number from 1 to 1000000", isLive: true,
            parse: { Int($0).flatMap { (1...1_000_000).contains($0) ? $0 * 1_000_000 : nil } }),
        StoredSetting(
            name: "user-quota", target: \PipelineSettings.userQuota, defaultText: "none signed-up=1GiB anonymous=50MiB",
            help: "The bytes that each user may store, in originals, objects of the bucket and unfinished uploads.",
            details:
                "`none` means no limit. `signed-up` applies to accounts that people created, `anonymous` to those "
                + "without an address. `tintype quota set` sets another for one user ([how](Keeping.md#quotas)).",
            flag: .value("amounts"),
            expectation: "an amount such as 5GB or 500MiB, or none, followed by signed-up=AMOUNT and anonymous=AMOUNT",
            isLive: true, parse: { StandardQuotas(parsing: $0) }),
        StoredSetting(
            name: "originals", target: \PipelineSettings.originals, defaultText: "keep",
            help: "The treatment of originals when their posts are N days old: keep, re-encode,qN,Nd or drop,Nd.",
            details: "Such as `re-encode,q80,90d` or `drop,365d` ([how](Keeping.md#originals)).", flag: .value("rule"),
            expectation: OriginalRule.expectation, isLive: true,
            parse: { $0 == "keep" ? .some(nil) : OriginalRule($0).map(Optional.some) }),
    ]

    private static let inbox: [any Setting] = [
        duration(
            "inbox-quiet", \InboxWatcher.Settings.quietTime, default: "5s",
            help: "The time for which a dropped file must be unchanged if no event reports that it was closed.")
    ]

    private static let log: [any Setting] = [
        StoredSetting(
            name: "log-level", target: \ServiceSettings.logLevel, defaultText: Logger.Level.info.rawValue,
            help: "The lowest level that is logged: trace, debug, info, notice, warning or error.",
            details: "No level logs credentials.", flag: .value("level"),
            expectation: "trace, debug, info, notice, warning or error", parse: { Logger.Level(rawValue: $0) }),
        StoredSetting(
            name: "log-format", target: \ServiceSettings.logFormat, defaultText: LogFormat.text.rawValue,
            help: "The form of the log: text for people, json for programs.",
            details: "`json` is one line of JSON for each entry, with the upload's id where there is one.",
            flag: .value("format"), expectation: "text or json", parse: { LogFormat(rawValue: $0) }),
        StoredSetting(
            name: "access-log", target: \ServiceSettings.accessLog, defaultText: "",
            help: "A file to which a line is written for each request; - is standard output.",
            details: "The lines have the Combined Log Format, or are JSON with `log-format` `json` "
                + "([how](Operations.md#logs)).",
            flag: .value("file"), expectation: "a file, or -",
            parse: { text in
                switch text {
                case "": .some(nil)
                case "-": .some(.standardOutput)
                default: .some(.file(path: text))
                }
            }),
    ]
}

// swift-tools-version: 6.2
// The programs that measure the service; a separate package, so that the service does not build it.

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "tintype", path: ".."),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "TreeBenchmark", dependencies: [.product(name: "Tree", package: "tintype")], swiftSettings: settings),
        // Connects to the built service over its sockets, and shares no code with it.
        .executableTarget(name: "ServiceBenchmark", dependencies: ["CEpoll"], swiftSettings: settings),
        .target(name: "CEpoll"),
        .executableTarget(
            name: "ClientBenchmark",
            dependencies: [
                .product(name: "TintypeClient", package: "tintype"), .product(name: "TintypeModel", package: "tintype"),
                .product(name: "TintypeStore", package: "tintype"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "ThumbnailBenchmark", dependencies: [.product(name: "Imaging", package: "tintype")],
            swiftSettings: settings),
        .executableTarget(
            name: "IsolationBenchmark",
            dependencies: [
                .product(name: "Imaging", package: "tintype"), .product(name: "Isolation", package: "tintype"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "MeteringBenchmark",
            dependencies: [
                .product(name: "Metering", package: "tintype"), .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: settings),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "events",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "tintype", path: "../..")],
    targets: [
        .executableTarget(
            name: "events",
            dependencies: [
                .product(name: "TintypeModel", package: "tintype"), .product(name: "TintypeClient", package: "tintype"),
                .product(name: "TintypeTestSupport", package: "tintype"),
            ], path: "Sources")
    ]
)

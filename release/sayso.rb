class Sayso < Formula
  desc "One inbox for the questions your coding agents ask"
  homepage "https://github.com/saysohq/sayso"
  version "VERSION"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/saysohq/sayso/releases/download/v#{version}/sayso_#{version}_darwin_arm64.tar.gz"
      sha256 "SUM_darwin_arm64"
    end
    on_intel do
      url "https://github.com/saysohq/sayso/releases/download/v#{version}/sayso_#{version}_darwin_amd64.tar.gz"
      sha256 "SUM_darwin_amd64"
    end
  end
  on_linux do
    on_arm do
      url "https://github.com/saysohq/sayso/releases/download/v#{version}/sayso_#{version}_linux_arm64.tar.gz"
      sha256 "SUM_linux_arm64"
    end
    on_intel do
      url "https://github.com/saysohq/sayso/releases/download/v#{version}/sayso_#{version}_linux_amd64.tar.gz"
      sha256 "SUM_linux_amd64"
    end
  end

  def install
    bin.install "sayso"
    man1.install Dir["man/*"]
    bash_completion.install "completions/sayso.bash" => "sayso"
    zsh_completion.install "completions/sayso.zsh" => "_sayso"
    fish_completion.install "completions/sayso.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sayso version")
  end
end

"""The configuration of a process: `Config`, and `load_config`, which makes it of file, environment, flags."""

from hyphe_core.config.describing import ENVIRONMENT_PREFIX, Setting, shown_value
from hyphe_core.config.fields import (
    Config,
    default_data_dir,
    honest_user_agent,
    list_settings,
    program_version,
)
from hyphe_core.config.loading import (
    CONFIG_FILE_VARIABLE,
    DEFAULT_FILE_NAME,
    LoadedConfig,
    Source,
    config_environment,
    config_warnings,
    find_config_file,
    load_config,
    load_config_with_sources,
)

__all__ = [
    "CONFIG_FILE_VARIABLE",
    "DEFAULT_FILE_NAME",
    "ENVIRONMENT_PREFIX",
    "Config",
    "LoadedConfig",
    "Setting",
    "Source",
    "config_environment",
    "config_warnings",
    "default_data_dir",
    "find_config_file",
    "honest_user_agent",
    "list_settings",
    "load_config",
    "load_config_with_sources",
    "program_version",
    "shown_value",
]
